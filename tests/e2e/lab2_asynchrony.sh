#!/usr/bin/env bash
#
# ranks: 4
# seconds: 600
# sanitizers: no
# Lab 2, part 9: a server and three workers on the virtual clock: two runs find the same, to the
# last digit; all servers take the seconds that the model says; staleness; the stub; bad options.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HEADLESS=1
fail() { echo "FAIL: $*"; tail -n 30 "$work/log"; exit 1; }
launch() { # ranks, program, options…
    local ranks=$1 program=$2
    shift 2
    common/setup/launch.sh --np "$ranks" "$program" --data synthetic --model linear --images 512 \
        --test 100 --seeds 1 --gradients 24 --compute 20 "$@" >"$work/log" 2>&1
}
program=$BUILD/sol/lab2_ddp/9_asynchrony
launch 4 "$program" --out "$work/one" || fail "on four ranks"
[ -s "$work/one/lab2_asynchrony/asynchrony.png" ] || fail "no figure"
launch 4 "$program" --out "$work/two" || fail "a second time"
cmp "$work/one/lab2_asynchrony/metrics.csv" "$work/two/lab2_asynchrony/metrics.csv" ||
    fail "two runs differ"
# Columns: server, momentum, slow, seconds, predicted, used, dropped, staleness, …
awk -F, 'NR == 1 { next }
    { rows++; seconds[$1, $3] = $4 }
    $1 == "synchronous" && ($8 != 0 || $7 != 0 || $4 / $5 > 1.05 || $4 / $5 < 0.95) { bad = 1 }
    $1 == "asynchronous" && $3 == 1 && ($8 < 1.4 || $8 > 2) { bad = 1 }
    END {
        if (!(seconds["asynchronous", 4] * 1.8 < seconds["synchronous", 4])) bad = 1
        if (!(seconds["one backup worker", 8] * 3 < seconds["synchronous", 8])) bad = 1
        exit bad || rows != 20
    }' "$work/one/lab2_asynchrony/metrics.csv" ||
    fail "not as predicted: $(cat "$work/one/lab2_asynchrony/metrics.csv")"
status=0
launch 3 "$BUILD/student/lab2_ddp/9_asynchrony" --out "$work/todo" || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab2_ddp/exercises/9a_serve_next.c, line [0-9]+' "$work/log" ||
    fail "the stub does not name its exercise"
launch 2 "$program" --out "$work/bad" && fail "one worker is taken"
grep -q 'error: a server and 2 to 31 workers' "$work/log" || fail "one worker: no reason"
launch 3 "$program" --out "$work/bad" --link 3parsec && fail "a bad link is taken"
grep -q 'error: --link=3parsec' "$work/log" || fail "a bad link: no reason"
