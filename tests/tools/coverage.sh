#!/usr/bin/env bash
# coverage.sh BUILD: after `make coverage` ran the tests: the lines of each file of common/ that
# they ran. Ranks that were killed (kill, MPI_Abort) are not counted.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
build=$1
case ${CC:-gcc} in *clang*) gcov=(llvm-cov gcov) ;; *) gcov=(gcov) ;; esac
command -v "${gcov[0]}" >/dev/null || { echo "coverage: ${gcov[0]} is not installed"; exit 77; }
find "$build/common" -name '*.gcno' -exec "${gcov[@]}" -n {} + 2>/dev/null | awk '
    /^File / { file = $2; gsub(/\x27/, "", file) }
    /^Lines executed/ && file ~ /^common\// {
        split($0, part, /[:% ]+/)   # Lines executed 85.71 of 7
        lines = $NF; percent = part[3]; run = percent * lines / 100
        printf "%-44s %5d of %5d lines  %5.1f %%\n", file, run + 0.5, lines, percent
        all += lines; ran += run; file = ""
    }
    END { if (!all) { print "coverage: nothing was recorded"; exit 1 }
          printf "%-44s %5d of %5d lines  %5.1f %%\n",
              "common: all", ran + 0.5, all, 100 * ran / all }' | sort
