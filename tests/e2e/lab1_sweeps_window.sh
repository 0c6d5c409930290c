#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# Lab 1's sweeps, of batch sizes (part 4) and of data (part 7): in their window pause, each run as a
# point, what is picked; quitting keeps finished runs; without a display and on two ranks the same;
# part 7's cost table; the stubs; bad options.
set -eu
program=$BUILD/sol/lab1_gd/4_batch_size
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
start() { # options…
    rm -f "$results"/window-*.png
    "$program" --out "$work/out" "${small[@]}" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 900 250
}
alone() { # ranks, program's folder, out, options…
    HEADLESS=1 common/setup/launch.sh --np "$1" "$BUILD/$2/lab1_gd/${program##*/}" \
        --out "$work/$3" "${small[@]}" "${@:4}" >"$work/log" 2>&1
}
stub() { # exercise
    alone 1 student todo || [ $? = 77 ] || fail "the stub: expected exit 77"
    expect "TODO in lab1_gd/exercises/$1, line [0-9]+"
}

# ---- part 4 ----
results=$work/out/lab1_batch_size
small=(--data synthetic --model mlp --train 1000 --test 100 --check-every 200 --smallest 4
    --largest 64 --seeds 2 --target 0.15 --epochs 2 --fastest 64 --rounds 2 --slice 0.02
    --threads 1)
rows() { grep -cv '^[#b]' "$results/sweep.csv" 2>/dev/null || true; }

start --epochs 1000 --target 1 # never reached: there is time to pause it
lines() { cat "$results"/*.csv | wc -l; }
trains() { grep -q . "$results/speed.csv" && changed; }
within 60 trains || fail "it does not begin"
pauses lines
finish
echo "ok: paused, and quit in the middle of a run"

start
six() { [ "$(rows)" = 6 ]; }
within 300 six || fail "expected 6 runs: $(rows)"
settle; as_before=$shots
press d; changes "d"; press d; shot
same "$as_before" "$shots" || fail "d twice should change nothing"
xdotool click 1; changes "a click"; xdotool click 1; shot
same "$as_before" "$shots" || fail "after d twice and two clicks it should be as before"
press question question
finish
expect '^ +16 '; grep 'first frame' "$work/log"

alone 1 sol out --seeds 3 || fail "without a display"
[ "$(rows)" = 9 ] || fail "resumed with 6 runs: expected 9: $(rows)"
alone 2 sol two --largest 16 --seeds 1 || fail "two ranks"
[ -s "$work/two/lab1_batch_size/batch_size.png" ] || fail "two ranks: no figure"
stub 4_time_per_update.c
! alone 1 sol out --fastest 4 --smallest 8 --largest 4 || fail "largest below smallest is taken"
expect 'smallest'

# ---- part 7 ----
program=$BUILD/sol/lab1_gd/7_scaling_laws results=$work/out/lab1_scaling_laws
small=(--data synthetic --model linear --smallest 8 --largest 512 --fit-from 32 --seeds 2
    --updates 60 --epochs 1 --test 200 --target 0.7 --threads 1)
rows() { grep -cv '^[#e]' "$results/curve.csv" 2>/dev/null || true; }

start --updates 30000
pauses rows
finish
echo "ok: paused, and quit in the middle"

start
sixteen() { [ "$(rows)" = 16 ]; }
within 300 sixteen || fail "expected 7 sizes and the check, twice: $(rows)"
settle; as_before=$shots
press plus; changes "+"; press minus; shot
same "$as_before" "$shots" || fail "- does not take + back"
finish
expect 'check at [0-9]+ examples'; expect 'α = .*β = .*γ = '; grep 'first frame' "$work/log"

csv=$(cat "$results/curve.csv")
alone 1 sol out || fail "without a display"
[ "$(cat "$results/curve.csv")" = "$csv" ] || fail "finished runs were repeated"
alone 2 sol ranks || fail "on two ranks"
errors() { grep '^[0-9]' "$1/lab1_scaling_laws/curve.csv" | cut -d, -f1-3 | sort; }
[ "$(errors "$work/ranks")" = "$(errors "$work/out")" ] ||
    fail "on two ranks: $(errors "$work/ranks"), on one: $(errors "$work/out")"
"$program" --cost --cars 125 --tb-per-hour 1.5 --days 325 --hours 10 \
    --fraction 0.0008 --devices 20 --out "$work/out" >"$work/log" || fail "--cost"
[ "$(grep -c 'equal' "$work/log")" = 15 ] && [ "$(grep -c 'NOT reproduced' "$work/log")" = 1 ] ||
    fail "15 values of the example can be reproduced, one not"
grep -q 'your project: 487.5 TB.* 778.8 days' "$work/log" || fail "the project is not the example's"
stub 7a_needed_examples.c
! alone 1 sol out --fit-from 8192 || fail "a fit through two sizes is taken"
expect 'at least 5'
