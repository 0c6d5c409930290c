#!/usr/bin/env bash
# seconds: 150
# sanitizers: no
# The loss landscape in its window: it is there before the work begins, grows while it works; pause, one point, heat map, turning, closing.
set -eu
program=$BUILD/sol/lab1_gd/5_loss_landscape
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_loss_landscape
points() { grep -c '^[0-9]' "$results/mlp-plane.points.csv" 2>/dev/null || true; }
wait_for() { # points
    for _ in $(seq 300); do [ "$(points)" -ge "$1" ] 2>/dev/null && return; sleep 0.1; done
    fail "$(points) points, waited for $1"
}
saved() { for _ in $(seq 50); do [ -s "$results/window-$1.png" ] && return; sleep 0.1; done; fail "no window-$1.png"; }

"$program" --out "$work/out" --data synthetic --model mlp --train-images 1000 --updates 60 --images 1000 --points 101 --threads 1 --no-eigenvalues >"$work/log" 2>&1 &
pid=$!
find_window 'Lab 1'
xdotool mousemove $((X + 300)) $((Y + 250)); sleep 1
wait_for 10
press space; sleep 1; paused=$(points); sleep 2
[ "$(points)" = "$paused" ] || fail "space does not pause: $paused, then $(points) points"
press period; sleep 1; press period; sleep 1
[ "$(points)" = $((paused + 2)) ] || fail "two steps from $paused points: $(points)"
press s; saved 1
press h; sleep 0.5; press s; saved 2
cmp -s "$results/window-1.png" "$results/window-2.png" && fail "h changes nothing"
xdotool mousemove $((X + 930)) $((Y + 220)) mousedown 1 mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1; sleep 0.5
press s; saved 3
cmp -s "$results/window-2.png" "$results/window-3.png" && fail "dragging does not turn the surface"
press space; wait_for $((paused + 20))
finish
grep 'first frame' "$work/log" || fail "no frame times"
grep -q '^picture: ' "$work/log" || fail "no picture at the end"

program=$BUILD/student/lab1_gd/5_loss_landscape
"$program" --data synthetic --out "$work/todo" >"$work/log" 2>&1 &
pid=$!
find_window 'Lab 1'; sleep 1
for _ in $(seq 20); do kill -0 $pid 2>/dev/null || break; press q; sleep 0.5; done
wait $pid && fail "the stub: exit status 0" || [ $? = 77 ] || fail "the stub: exit status is not 77"
grep -q 'TODO in lab1_gd/filter_normalize.c' "$work/log" || fail "the stub's file is not said"
echo ok
