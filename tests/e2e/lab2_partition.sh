#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# Lab 2, part 5: the shares are counted as predicted, and two ranks find what one finds; the stub
# names its exercise; bad options; ALL=1: its window pauses and resumes.
set -eu
program=$BUILD/sol/lab2_ddp/5_partition
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab2_partition
small="--data synthetic --model linear --images 2048 --test 200 --epochs 2 --seeds 2 --split 4"

# shellcheck disable=SC2086  # $small is words
{
export HEADLESS=1
"$program" --out "$work/out" $small >"$work/log" 2>&1 || fail "on one rank"
common/setup/launch.sh --np 2 "$program" --out "$work/ranks" $small >"$work/log" 2>&1 ||
    fail "on two ranks"
cmp "$results/metrics.csv" "$work/ranks/lab2_partition/metrics.csv" ||
    fail "two ranks find something else"
# The share of own orders scatters by half a per cent.
awk -F, 'NR > 1 { d = $4 - $3; if (d < -0.03 || d > 0.03) bad = 1; rows++ }
    $1 ~ /^(plain|option 1)/ && $4 != 1 { bad = 1 }
    END { exit bad || rows != 8 }' "$results/metrics.csv" ||
    fail "the shares are not as predicted: $(cat "$results/metrics.csv")"
if "$program" --out "$work/out" $small --images 64 --split 8 --batch 9 >"$work/log" 2>&1; then
    fail "an epoch without an update is taken"
fi
expect '^error: --images=64: .* give at least 72'
status=0
"$BUILD/student/lab2_ddp/5_partition" --out "$work/todo" $small >"$work/log" 2>&1 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
expect 'to do: TODO in lab2_ddp/exercises/5a_partition.c, line [0-9]+'

[ -n "${ALL-}" ] || exit 0 # its window
unset HEADLESS
"$program" --out "$work/out" $small --epochs 4 --seeds 6 >"$work/log" 2>&1 &
pid=$!
find_window 'Lab 2'
listens 600 250
press space; settle; press space
changed_at=$shots
trained() { grep -q 'trained  100 %' "$work/log"; }
within 300 trained || fail "it does not resume"
shot; differ "$changed_at" "$shots" "space (resumed)"
finish
expect 'first frame'
}
