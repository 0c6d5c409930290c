#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# all: yes
# Lab 1's sweeps in their window, of batch sizes (part 4) and of data (part 7), and part 10: pause,
# each run as a point, what is picked; quitting in the middle of a run.
set -eu
program=$BUILD/sol/lab1_gd/4_batch_size
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
. tests/e2e/_small_data.sh
small_data "$work" 1000 240
mouse='900 250'
# ---- part 4 ----
small=(1 sol/lab1_gd/4_batch_size --data cifar10 --data-dir "$work" --model mlp --train 1000
    --test 100 --check-every 200 --smallest 4 --largest 16 --seeds 2 --target 0.15 --epochs 2
    --fastest 64 --rounds 2 --slice 0.02 --threads 1)
rows() { grep -cv '^[#b]' "$results/sweep.csv" 2>/dev/null || true; }

start "${small[@]}" --rounds 99 # it measures for long
measured() { grep -c . "$results/speed.csv" 2>/dev/null || true; }
pauses measured
finish

start "${small[@]}"
four() { [ "$(rows)" = 4 ] && grep -q 'sweep .*all done' "$work/log"; }
within 300 four || fail "expected 4 runs: $(rows)"
settle; as_before=$shots
press d; changes "d"; press d; shot
same "$as_before" "$shots" || fail "d twice should change nothing"
xdotool click 1; changes "a click"; xdotool click 1; shot
same "$as_before" "$shots" || fail "after d twice and two clicks it should be as before"
press question question
finish
expect '^ +16 '; grep 'first frame' "$work/log"

# ---- part 7 ----
small=(1 sol/lab1_gd/7_scaling_laws --data cifar10 --data-dir "$work" --model linear
    --smallest 8 --largest 512 --fit-from 32 --seeds 2 --updates 60 --epochs 1 --test 200
    --target 0.7 --threads 1)
rows() { grep -cv '^[#e]' "$results/curve.csv" 2>/dev/null || true; }

start "${small[@]}" --seeds 30 --updates 300
pauses rows
finish

start "${small[@]}"
sixteen() { [ "$(rows)" = 16 ] && grep -q 'check .*all done' "$work/log"; }
within 300 sixteen || fail "expected 7 sizes and the check, twice: $(rows)"
settle; as_before=$shots
press plus; changes "+"; press minus; shot
same "$as_before" "$shots" || fail "- does not take + back"
finish
expect 'check at [0-9]+ examples'; expect 'α = .*β = .*γ = '; grep 'first frame' "$work/log"

# ---- part 10 ----
small=(1 sol/lab1_gd/10_transformer --model gpt-16-2-2 --batch 4)
start "${small[@]}" --updates 100000
updates() { grep -o '[0-9,]*/100,000 updates' "$work/log" | tail -n 1; }
pauses updates
finish

start "${small[@]}" --updates 60
within 300 grep -q 'training .*60/60' "$work/log" || fail "expected 60 updates"
settle; as_before=$shots
press minus; changes "-"; press plus; shot
same "$as_before" "$shots" || fail "+ does not take - back"
finish
expect '^after 60 updates'
