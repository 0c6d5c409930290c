#!/usr/bin/env bash
# tests/coverage.sh BUILD: after `make coverage` ran the tests: per file of common/ how many of its lines they ran.
# What a rank did that was ended from outside (kill, MPI_Abort) is not counted.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
case ${CC:-gcc} in *clang*) gcov=(llvm-cov gcov) ;; *) gcov=(gcov) ;; esac
command -v "${gcov[0]}" >/dev/null || { echo "coverage: ${gcov[0]} is not installed"; exit 77; }
"${gcov[@]}" -n "$build"/common/*.gcno 2>/dev/null | awk '
    /^File / { file = $2; gsub(/\x27/, "", file) }
    /^Lines executed/ && file ~ /^common\// {
        split($0, part, /[:% ]+/)   # Lines executed 85.71 of 7
        lines = $NF; share = part[3]; run = share * lines / 100
        printf "%-34s %5d of %5d lines  %5.1f %%\n", file, run + 0.5, lines, share
        all += lines; ran += run; file = ""
    }
    END { if (!all) { print "coverage: nothing was recorded"; exit 1 }
          printf "%-34s %5d of %5d lines  %5.1f %%\n", "common: all", ran + 0.5, all, 100 * ran / all }' | sort
