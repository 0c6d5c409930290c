#!/usr/bin/env bash
# seconds: 240
# sanitizers: no
# Lab 1's scaling laws in their window: pause, devices, quitting and resuming; the cost table; the stub; bad options.
set -eu
program=$BUILD/sol/lab1_gd/7_scaling_laws
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_scaling_laws
small="--data synthetic --model linear --smallest 8 --largest 512 --fit-from 32 --seeds 2 --updates 60 --epochs 1 --test 200 --target 0.7 --threads 1"
rows() { grep -cv '^[#e]' "$results/curve.csv" 2>/dev/null || true; }
start() {
    rm -f "$results"/window-*.png
    # shellcheck disable=SC2086
    "$program" --out "$work/out" $small "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 900 250
}

start --updates 3000
press space; shot; sleep 0.5
before=$(rows); sleep 1.5
[ "$(rows)" = "$before" ] || fail "it continues while paused"
press space; finish
echo "ok: paused, and quit in the middle"

start
sixteen() { [ "$(rows)" = 16 ]; }
within 120 sixteen || fail "expected 7 sizes and the check, twice: $(rows)"
settle; as_before=$shots
press plus; changes "+"; press minus; shot
same "$as_before" "$shots" || fail "- does not take + back"
finish
grep -qE 'check at [0-9]+ examples' "$work/log" || fail "no check"
grep -qE 'α = .*β = .*γ = ' "$work/log" || fail "no fit"
grep 'first frame' "$work/log"

export HEADLESS=1
csv=$(cat "$results/curve.csv")
# shellcheck disable=SC2086
"$program" --out "$work/out" $small >"$work/log" 2>&1 || fail "without a display"
[ "$(cat "$results/curve.csv")" = "$csv" ] || fail "finished runs were repeated"
# shellcheck disable=SC2086
common/setup/launch.sh --np 2 "$program" --out "$work/ranks" $small >"$work/log" 2>&1 || fail "on two ranks"
errors() { grep '^[0-9]' "$1/lab1_scaling_laws/curve.csv" | cut -d, -f1-3 | sort; }
[ "$(errors "$work/ranks")" = "$(errors "$work/out")" ] || fail "on two ranks: $(errors "$work/ranks"), on one: $(errors "$work/out")"
"$program" --cost --cars 125 --tb-per-hour 1.5 --days 325 --hours 10 --fraction 0.0008 --devices 20 --out "$work/out" >"$work/log" || fail "--cost"
[ "$(grep -c 'equal' "$work/log")" = 15 ] && [ "$(grep -c 'NOT reproduced' "$work/log")" = 1 ] || fail "15 values of the example can be reproduced, one not"
grep -q 'your project: 487.5 TB.* 778.8 days' "$work/log" || fail "the project is not the example's"
"$BUILD/student/lab1_gd/7_scaling_laws" --out "$work/todo" >"$work/log" 2>&1 || [ $? = 77 ] || fail "the stub: expected exit 77"
grep -qE 'TODO in lab1_gd/exercises/7a_needed_examples.c, line [0-9]+' "$work/log" || fail "the stub does not name the exercise"
"$program" --out "$work/out" --fit-from 8192 >"$work/log" 2>&1 && fail "a fit through two sizes is taken"
grep -q 'at least 5' "$work/log" || fail "no message"
echo "ok: table, stub, bad options"
