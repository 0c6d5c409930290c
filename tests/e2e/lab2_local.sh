#!/usr/bin/env bash
#
# ranks: 2
# seconds: 600
# sanitizers: no
# Lab 2, part 8: a short run on two ranks: every method sends the bytes that its formula says; the
# same seeds find the same; the stub names its exercise; bad options.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HEADLESS=1
fail() { echo "FAIL: $*"; tail -n 30 "$work/log"; exit 1; }
launch() { # ranks, program, options…
    local ranks=$1 program=$2
    shift 2
    common/setup/launch.sh --np "$ranks" "$program" --data synthetic --model linear --images 512 \
        --test 100 --seeds 1 --updates 8 "$@" >"$work/log" 2>&1
}
launch 2 "$BUILD/sol/lab2_ddp/8_local" --out "$work/one" || fail "on two ranks"
[ -s "$work/one/lab2_local/local.png" ] || fail "no figure"
# Plain sends its gradient in each of 8 updates; 16 updates between two exchanges are more than
# there are, so there is one, at the end; and 4 times fewer bytes with H = 4.
awk -F, 'NR > 1 { bytes[$2, $3] = $4; rows++ }
    END {
        plain = bytes["plain", 1]
        ok = rows == 34 && bytes["local SGD", 4] * 4 == plain && bytes["DiLoCo", 16] * 8 == plain
        ok = ok && bytes["delayed averaging", 4] * 4 == plain
        few = plain / bytes["SparseLoCo", 4]
        exit !(ok && few > 400 && few < 520)
    }' "$work/one/lab2_local/metrics.csv" ||
    fail "bytes: $(cat "$work/one/lab2_local/metrics.csv")"
launch 2 "$BUILD/sol/lab2_ddp/8_local" --out "$work/two" || fail "a second time"
cmp "$work/one/lab2_local/metrics.csv" "$work/two/lab2_local/metrics.csv" ||
    fail "the same seed finds something else"
status=0
launch 2 "$BUILD/student/lab2_ddp/8_local" --out "$work/todo" || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab2_ddp/exercises/8a_local_due.c, line [0-9]+' "$work/log" ||
    fail "the stub does not name its exercise"
launch 1 "$BUILD/sol/lab2_ddp/8_local" --out "$work/bad" && fail "one rank is taken"
grep -q 'error: needs at least 2 ranks: make lab2 ONLY=8_local NP=4' "$work/log" ||
    fail "one rank: no reason"
launch 2 "$BUILD/sol/lab2_ddp/8_local" --out "$work/bad" --batch 300 && fail "--batch 300 is taken"
grep -q 'error: --images=512: 2 ranks with batches of 300 need at least 600' "$work/log" ||
    fail "--batch 300: no reason"
