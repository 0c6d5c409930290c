#!/usr/bin/env bash
# tests/lint.sh: shellcheck over all scripts, cppcheck over all C sources. Any finding fails.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
files() { find . \( -path ./build -o -path ./data -o -path ./.git \) -prune -o -type f "$@" -print | sort; }
# Suppressed: what cppcheck guesses wrong about loops and about calls that fill a struct (the compilers and sanitizers
# look for that, too), a failed realloc (it ends the run), a sum that cannot be 0.
suppressed=(--suppress=missingIncludeSystem --suppress=uninitvar --suppress=uninitStructMember --suppress=memleakOnRealloc
    --suppress=invalidFunctionArg:tests/reference.c)
failed=0
files \( -name '*.sh' -o -path './.ci/run' \) | xargs shellcheck -x -S warning || failed=1
files -name '*.c' | xargs cppcheck --quiet --std=c11 --enable=warning --inline-suppr --error-exitcode=1 -j "${JOBS:-2}" \
    --library=tests/cppcheck.cfg "${suppressed[@]}" -D_GNU_SOURCE -Icommon -Ilab2_ddp -Itests || failed=1
[ $failed = 0 ] && echo "lint: nothing found"
exit $failed
