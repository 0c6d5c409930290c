#!/usr/bin/env bash
#
# seconds: 150
# sanitizers: no
# Lab 1's first program in its window: each key and the mouse do what the handout says; resize; both
# ways to close; the stub names its exercise.
set -eu
program=$BUILD/sol/lab1_gd/1_gradient_descent
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_gradient_descent

start() { # options…
    : >"$work/log"; rm -f "$results"/window-*.png
    "$program" --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 300 250
}

start --speed 0.1
press space period period period period period comma comma
finish; expect 'after 3 updates at rate 0.1: '; expect 'first frame after'; grep 'frame' "$work/log"

start --speed 0.1
press space bracketright bracketright bracketleft n n N period
finish; expect 'after 1 updates at rate 0.125: '
made=$(sed -n 's/^true line .* \([0-9.]*\)$/\1/p' "$work/log")
awk -v loss="$made" 'BEGIN { exit !(loss > 0.3 && loss < 0.5) }' ||
    fail "noise 0.5, a quarter more, should leave a loss of about 0.39: $made"

start --speed 20
# r restarts, and runs.
sleep 2; press space; shot; began=$(date +%s%N); press r; sleep 1; press space; shot
most=$((($(date +%s%N) - began) / 50000000 + 1)); finish
expect 'after [0-9]+ updates'; count=$(grep -oE 'after [0-9]+ updates' "$work/log" |
    grep -oE '[0-9]+')
[ "$count" -ge 1 ] && [ "$count" -le $most ] ||
    fail "after r, at 20 updates/s: $count updates, at most $most"

start --speed 0.1
press space; xdotool mousemove $((X + 200)) $((Y + 450)) click 1; shot; press period; finish
first=$(sed -n 2p "$results/metrics.csv")
[ "$first" != "0,-1.5,3,${first##*,}" ] ||
    fail "a click on the contours did not move the start: $first"
echo "ok: picked $first"

start --speed 0.1
press space; shot
xdotool mousemove $((X + 1100)) $((Y + 540)) mousedown 1 \
    mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1
changes "dragging the surface"
xdotool windowsize --sync "$window" 900 600; shot; press question; shot; press question; shot
"$screen" close "$window"; wait $pid || fail "exit status $? after the close button"
echo "ok: drag, resize, help, close"

program=$BUILD/student/lab1_gd/1_gradient_descent
start; finish 77; expect 'TODO in lab1_gd/exercises/1a_gradient.c, line [0-9]+'
