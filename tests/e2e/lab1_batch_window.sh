#!/usr/bin/env bash
# seconds: 400
# sanitizers: no
# Lab 1's batch sizes in their window: pause, each run as a point, a batch size picked; quitting keeps finished runs; two ranks; the stub; no display.
set -eu
program=$BUILD/sol/lab1_gd/4_batch_size
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_batch_size
small="--data synthetic --model mlp --train 1000 --test 100 --check-every 200 --smallest 4 --largest 64 --seeds 2 --target 0.15 --epochs 2 --fastest 64 --rounds 2 --slice 0.02 --threads 1"
rows() { grep -cv '^[#b]' "$results/sweep.csv" 2>/dev/null || true; }
start() { # program, options…
    rm -f "$results"/window-*.png
    # shellcheck disable=SC2086
    "$@" --out "$work/out" $small >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 900 250
}

start "$program" --epochs 1000 --target 1 # never reached: there is time to pause it
for _ in $(seq 50); do [ -s "$results/speed.csv" ] && [ "$(wc -l <"$results/speed.csv")" -gt 4 ] && break; sleep 0.1; done
press space; shot; sleep 0.5
before=$(cat "$results"/*.csv | wc -l); sleep 1.5
[ "$(cat "$results"/*.csv | wc -l)" = "$before" ] || fail "it continues while paused"
press space; finish
echo "ok: paused, and quit in the middle of a run"

start "$program"
six() { [ "$(rows)" = 6 ]; }
within 120 six || fail "expected 6 runs: $(rows)"
settle; as_before=$shots
press d; changes "d"; press d; shot
same "$as_before" "$shots" || fail "d twice should change nothing"
xdotool click 1; changes "a click"; xdotool click 1; shot
same "$as_before" "$shots" || fail "after d twice and two clicks it should be as before"
press question question
finish
grep -qE '^ +16 ' "$work/log" || fail "no line for batch 16"
grep 'first frame' "$work/log"
echo "ok: points, a batch size's results"

export HEADLESS=1
# shellcheck disable=SC2086
"$program" --out "$work/out" $small --seeds 3 >"$work/log" 2>&1 || fail "without a display"
[ "$(rows)" = 9 ] || fail "resumed with 6 runs: expected 9: $(rows)"
# shellcheck disable=SC2086
common/setup/launch.sh --np 2 "$program" --out "$work/two" $small >"$work/log" 2>&1 || fail "two ranks"
[ -s "$work/two/lab1_batch_size/batch_size.png" ] || fail "two ranks: no figure"
# shellcheck disable=SC2086
"$BUILD/student/lab1_gd/4_batch_size" --out "$work/todo" $small >"$work/log" 2>&1 || [ $? = 77 ] || fail "the stub: expected exit 77"
grep -qE 'TODO in lab1_gd/exercises/4_time_per_update.c, line [0-9]+' "$work/log" || fail "the stub does not name the exercise"
"$program" --fastest 4 --smallest 8 --largest 4 --out "$work/out" >"$work/log" 2>&1 && fail "largest below smallest is taken"
grep -q 'smallest' "$work/log" || fail "no message"
echo "ok: headless, ranks, stub"
