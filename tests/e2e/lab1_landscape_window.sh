#!/usr/bin/env bash
# seconds: 300
# sanitizers: no
# The loss landscape in its window, which opens before the work begins and grows with it; pause, one point, heat map, turning, closing.
set -eu
program=$BUILD/sol/lab1_gd/5_loss_landscape
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_loss_landscape
points() { grep -c '^[0-9]' "$results/mlp-plane.points.csv" 2>/dev/null || true; }
reached() { [ "$(points)" -ge "$1" ] 2>/dev/null; }
wait_for() { within 120 reached "$1" || fail "$(points) points, waited for $1"; } # points

"$program" --out "$work/out" --data synthetic --model mlp --train-images 1000 --updates 60 --images 1000 --points 101 --threads 1 --no-eigenvalues >"$work/log" 2>&1 &
pid=$!
find_window 'Lab 1'
listens 300 250
wait_for 10
press space; shot; sleep 1; paused=$(points); sleep 1.5
[ "$(points)" = "$paused" ] || fail "space does not pause: $paused, then $(points) points"
press period; wait_for $((paused + 1)); press period; wait_for $((paused + 2)); sleep 0.5
[ "$(points)" = $((paused + 2)) ] || fail "two steps from $paused points: $(points)"
settle; press h; changes "h"
xdotool mousemove $((X + 930)) $((Y + 220)) mousedown 1 mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1
changes "dragging the surface"
press space; wait_for $((paused + 20))
finish
grep 'first frame' "$work/log" || fail "no frame times"
grep -q ': .*/landscape\.png$' "$work/log" || fail "no figure at the end"

program=$BUILD/student/lab1_gd/5_loss_landscape
"$program" --data synthetic --out "$work/todo" >"$work/log" 2>&1 &
pid=$!
find_window 'Lab 1'
xdotool mousemove $((X + 300)) $((Y + 250))
finish 77
grep -q 'TODO in lab1_gd/exercises/5_filter_normalize.c' "$work/log" || fail "the stub's file is not printed"
echo ok
