#!/usr/bin/env bash
#
# seconds: 240
# sanitizers: no
# Lab 1, part 8, in its window, on two ranks: each key does what the handout says; the stub names
# its exercise; closing the window, or Ctrl-C, ends both ranks.
set -eu
program=$BUILD/sol/lab1_gd/8_fifteen_steps
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_fifteen_steps

start() { # ranks, options…
    local ranks=$1
    shift
    : >"$work/log"; rm -f "$results"/window-*.png
    env --default-signal=INT common/setup/launch.sh --np "$ranks" "$program" \
        --data synthetic --images 2000 --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 300 250
}

start 2 --batch 4
sleep 1; press space; settle # paused: the figure stops changing
shot; press period; changes ". (a step)"
press minus; shot; sleep 2; press space
for _ in {1..12}; do press period; done # on a busy machine the medians would have too few steps
shot; finish
expect 'steps of .* ms \(median'; expect '^13 optimiser: average'
expect '^of a step: forward [0-9]+ %, backward [0-9]+ %; beside it, loading [0-9.]+ %$'
expect 'first frame after'; grep 'frame' "$work/log"
[ -s "$results/trace.json" ] || fail "no timeline"

# + and r restart: few steps since. A batch larger than the images allow is refused.
start 1 --batch 8
sleep 1.5; press plus; shot; press minus; shot; press space; shot
press r; shot; changes "r (and steps after it)"; press space; shot; finish
count=$(grep -oE '^[0-9]+ steps' "$work/log" | grep -oE '[0-9]+' || true)
[ "${count:-0}" -ge 1 ] && [ "$count" -lt 400 ] || fail "after r: $count steps"
echo "ok: r, $count steps"

start 2 --batch 4
kill -INT $pid; wait $pid || [ $? = 130 ] || fail "exit status $? after Ctrl-C"
expect 'results in'

program=$BUILD/student/lab1_gd/8_fifteen_steps
start 1 --batch 4; finish 77; expect 'TODO in lab1_gd/exercises/8_busy.c, line [0-9]+'
