#!/usr/bin/env bash
# seconds: 150
# sanitizers: no
# Live training on its surface: each key and the mouse do what the handout says, while it trains; the stub shows what is to do.
set -eu
program=$BUILD/sol/lab1_gd/6_live_surface
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_live_surface

start() {
    : >"$work/log"
    rm -rf "$results"
    shots=0
    "$program" --data synthetic --model linear --rate 0.01 --images 1000 --measured 64 --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    xdotool mousemove $((X + 300)) $((Y + 250)); sleep 1
}
key() { press "$1"; sleep 0.3; }

# The first update is due at once, the next after 10 s: then only keys make any.
start --speed 0.1
key space
for _ in 1 2 3 4; do key period; done
settle
xdotool mousemove $((X + 930)) $((Y + 220)) mousedown 1 mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1; sleep 0.3
shot; ! same $((shots - 1)) "$shots" || fail "dragging does not turn the surface"
xdotool click 4; sleep 0.3
shot; ! same $((shots - 1)) "$shots" || fail "the wheel does not zoom the surface"
key h
shot; ! same $((shots - 1)) "$shots" || fail "h changes nothing"
key p; settle
finish; expect 'after 5 updates at rate 0.01, batch 32, momentum 0: still moving'; expect 'surface: plane through start and now, 33 × 33 points'
expect 'first frame after'; grep 'frame' "$work/log"

start --speed 0.1
for name in bracketright bracketright bracketleft minus minus plus M M M m; do key $name; done
finish; expect 'at rate 0.0125, batch 16, momentum 0.8'

start --speed 20 --plane random
sleep 2; key r; key space; finish
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -gt 0 ] && [ "$count" -lt 30 ] || fail "r, and $count updates after about half a second at 20 a second"
expect 'surface: random plane'

HEADLESS=1 "$program" --data synthetic --model linear --rate 1000 --images 1000 --measured 64 --updates 50 --out "$work/out" >"$work/log" 2>&1 || fail "diverging: exit status $?"
expect 'diverged'

program=$BUILD/student/lab1_gd/6_live_surface
start; finish 77; expect 'TODO in lab1_gd/filter_normalize.c, line [0-9]+'
