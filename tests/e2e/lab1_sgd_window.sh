#!/usr/bin/env bash
#
# seconds: 150
# sanitizers: no
# Lab 1, parts 2 and 3, in their windows: each key and the mouse do what `?` and the handout say.
set -eu
program=$BUILD/sol/lab1_gd/2_stochastic_gradient_descent
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_sgd

start() { # options…
    : >"$work/log"; rm -f "$results"/window-*.png
    "$program" --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 300 10
}

# Part 2: steps, back, rate, sampling; then f: faster by 2 per press.
start --speed 0.1
press space period period period period period comma comma m bracketright bracketright bracketleft
finish; expect 'after 3 updates .* at rate 0.0375, drawn with replacement'
expect 'first frame after'; grep 'frame' "$work/log"
start --speed 0.1
# 51 updates a second, for slightly over two seconds.
press f f f f f f f f f; shot; began=$(date +%s%N); sleep 2; press F F F space; shot
most=$((($(date +%s%N) - began) / 19531250 + 60)); finish
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -gt 10 ] && [ "$count" -lt $most ] ||
    fail "f: $count updates, at most $most, at about 51 a second"
start --speed 0.1
press space; shot; press n N n period; changes "noise"
xdotool mousemove $((X + 620)) $((Y + 200)) click 4; changes "the wheel"
xdotool click 1; changes "a click"; press period
press r space question; shot; press question
xdotool windowsize --sync "$window" 900 600; shot; finish
first=$(sed -n 2p "$results/metrics.csv")
case $first in
    0,0,*,-0.5,2.5,*) fail "a click on the contours did not move the start: $first" ;;
esac

# Part 3: steps and back; the marked racer's batch; rate, sampling, noise and a click restart it.
program=$BUILD/sol/lab1_gd/3_minibatches results=$work/out/lab1_minibatches
start --speed 0.1
press space 3 minus 2 plus plus period period period period period comma
finish; expect 'after 4 updates at rate 0.03, shuffled'
[ "$(cut -d , -f 1 "$results/metrics.csv" | sort -un | xargs)" = 'batch 1 16 100' ] ||
    fail "− and + on the marked racers: $(cut -d , -f 1 "$results/metrics.csv" | sort -u | xargs)"
start --speed 0.1
press space m bracketright; shot; press n; changes "noise"
xdotool mousemove $((X + 150)) $((Y + 200)) click 4; changes "the wheel"
xdotool click 1; changes "a click"; press period
press question; shot; finish
expect 'after 1 updates at rate 0.0375, drawn without'
start --speed 20
sleep 1; press f; shot; began=$(date +%s%N); press r; sleep 1; press space; shot
most=$((($(date +%s%N) - began) / 25000000 + 1)); finish
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -ge 1 ] && [ "$count" -le $most ] ||
    fail "after r, at 40 updates/s: $count updates, at most $most"
start; "$screen" close "$window"; wait $pid || fail "exit status $? after the close button"

program=$BUILD/student/lab1_gd/3_minibatches
start; finish 77; expect 'TODO in lab1_gd/exercises/1a_gradient.c, line [0-9]+'
