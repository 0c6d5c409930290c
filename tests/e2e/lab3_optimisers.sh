#!/usr/bin/env bash
# Lab 3, part 6: the references pass their checks; every optimiser has its row in the program; two
# ranks find what one finds; the stub names its exercise; beside PyTorch where there is one.
# ranks: 2
# seconds: 600
# sanitizers: no
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; cat "$work/log"; exit 1; }
export HEADLESS=1
program=$BUILD/sol/lab3_scale/6_optimisers
small="--data synthetic --model linear --images 512 --test 200 --batch 32 --epochs 1 --seeds 1"

common/setup/check.sh "$BUILD"/sol/lab3_scale/check/6* >"$work/log" || fail "the references"
[ "$(grep -c '^PASS' "$work/log")" = 10 ] || fail "not ten verdicts"
# shellcheck disable=SC2086  # $small is words
{
"$program" --out "$work/one" $small >"$work/log" 2>&1 || fail "on one rank"
common/setup/launch.sh --np 2 "$program" --out "$work/two" $small >"$work/log" 2>&1 ||
    fail "on two ranks"
cmp "$work/one/lab3_optimisers/metrics.csv" "$work/two/lab3_optimisers/metrics.csv" ||
    fail "two ranks find something else"
# A row of each, tested; so few updates teach little.
awk -F, 'NR > 1 { rows++; if (!($4 > 0 && $6 == 1)) bad = 1 } END { exit bad || rows != 11 }' \
    "$work/one/lab3_optimisers/metrics.csv" ||
    fail "an optimiser has no result: $(cat "$work/one/lab3_optimisers/metrics.csv")"
status=0
"$BUILD/student/lab3_scale/6_optimisers" --out "$work/todo" $small >"$work/log" 2>&1 || status=$?
}
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab3_scale/exercises/6a_momentum.c, line [0-9]+' "$work/log" ||
    fail "the stub does not name its exercise"

python=${PYTHON_TORCH:-python3}
if [ -x "$BUILD/tests/tools/optimiser_steps" ] && "$python" -c 'import torch' 2>/dev/null; then
    "$python" tests/torch/optimisers.py "$BUILD/tests/tools/optimiser_steps" || fail "PyTorch"
else
    echo "not compared with PyTorch: $python lacks it (see PYTHON_TORCH)"
fi
