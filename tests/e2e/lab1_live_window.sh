#!/usr/bin/env bash
# seconds: 300
# sanitizers: no
# Live training on its surface: each key and the mouse do what the handout says, while it trains; the stub names its exercise.
set -eu
program=$BUILD/sol/lab1_gd/6_live_surface
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_live_surface

start() {
    : >"$work/log"
    rm -rf "$results"
    "$program" --data synthetic --model linear --rate 0.01 --images 1000 --measured 64 --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 300 250
}

# The first update is due at once, the next after 10 s: the others come from keys.
start --speed 0.1
press space period period period period
settle
xdotool mousemove $((X + 930)) $((Y + 220)) mousedown 1 mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1
changes "dragging the surface"
xdotool click 4; changes "the wheel"
press h; changes "h"
press p; settle
finish; expect 'after 5 updates at rate 0.01, batch 32, momentum 0: still moving'
expect 'surface: plane through start and now, (17 × 17|33 × 33) points'
expect 'first frame after'; grep 'frame' "$work/log"

start --speed 0.1
for name in bracketright bracketright bracketleft minus minus plus M M M m; do press $name; shot; done
finish; expect 'at rate 0.0125, batch 16, momentum 0.8'

start --speed 20 --plane random
sleep 2; press space; shot; began=$(date +%s%N); press r; sleep 0.5; press space; shot
most=$((($(date +%s%N) - began) / 50000000 + 1)); finish
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -le $most ] || fail "r, and $count updates since, at most $most at 20 a second"

headless() {
    HEADLESS=1 "$program" --data synthetic --model linear --images 1000 --measured 64 \
        --out "$work/out" "$@" >"$work/log" 2>&1
}
headless --rate 0.01 --updates 5 || fail "without a window: exit status $?"
expect 'surface: plane of the path, 33 × 33 points' # at the end; a window may close earlier
headless --plane random --updates 5 || fail "a random plane: exit status $?"
expect 'surface: random plane'
headless --rate 1000 --updates 50 || fail "diverging: exit status $?"
expect 'diverged'

program=$BUILD/student/lab1_gd/6_live_surface
start; finish 77; expect 'TODO in lab1_gd/exercises/5_filter_normalize.c, line [0-9]+'
