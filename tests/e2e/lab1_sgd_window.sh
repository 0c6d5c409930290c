#!/usr/bin/env bash
# seconds: 150
# sanitizers: no
# Lab 1, parts 2 and 3, in their windows: each key and the mouse do what `?` and the handout say.
set -eu
program=$BUILD/sol/lab1_gd/2_stochastic_gradient_descent
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_sgd

start() { # options…
    : >"$work/log"
    "$program" --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    xdotool mousemove $((X + 300)) $((Y + 10)); sleep 0.7
}
key() { for name; do press "$name"; sleep 0.12; done; }
differ() { cmp -s "$results/window-$1.png" "$results/window-$2.png" && fail "$3 changed nothing"; echo "ok: $3"; }

# Part 2: steps, back, rate, sampling; then f: faster by 2 per press.
start --speed 0.1
key space period period period period period comma comma m bracketright bracketright bracketleft
finish; expect 'after 3 updates .* at rate 0.033, drawn with replacement'; expect 'first frame after'; grep 'frame' "$work/log"
start --speed 0.1
key f f f f f f f f f; sleep 2; key F F F space; finish # 51 a second, for two seconds and a little
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -gt 60 ] && [ "$count" -lt 300 ] || fail "f: $count updates in about two seconds at about 51 a second"
start --speed 0.1
key space s n N n period s; xdotool mousemove $((X + 620)) $((Y + 200)) click 4; sleep 0.4; key s
xdotool click 1; sleep 0.4; key period s; key r; key space question; sleep 0.4; key question; xdotool windowsize --sync "$window" 900 600; sleep 0.5; finish
differ 1 2 "noise"; differ 2 3 "the wheel"; differ 3 4 "a click"
first=$(sed -n 2p "$results/metrics.csv")
case $first in 0,0,*,-0.5,2.5,*) fail "a click on the contours did not move the start: $first" ;; esac

# Part 3: steps and back; the marked racer's batch; rate, sampling, noise and a click start again.
program=$BUILD/sol/lab1_gd/3_minibatches results=$work/out/lab1_minibatches
start --speed 0.1
key space 3 minus 2 plus plus period period period period period comma
finish; expect 'after 4 updates at rate 0.03, shuffled'
[ "$(cut -d , -f 1 "$results/metrics.csv" | sort -un | xargs)" = 'batch 1 16 100' ] || fail "− and + on the marked racers: $(cut -d , -f 1 "$results/metrics.csv" | sort -u | xargs)"
start --speed 0.1
key space m bracketright s n s; xdotool mousemove $((X + 150)) $((Y + 200)) click 4; sleep 0.4; key s; xdotool click 1; sleep 0.4; key period s question s; finish
expect 'after 1 updates at rate 0.0375, drawn without'
differ 1 2 "noise"; differ 2 3 "the wheel"; differ 3 4 "a click"
start --speed 20
sleep 1; key f r; sleep 1; key space
finish
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -gt 5 ] && [ "$count" -lt 120 ] || fail "after r and about a second at 40 updates/s: $count updates"
start; "$screen" close "$window"; wait $pid || fail "exit status $? after the close button"

program=$BUILD/student/lab1_gd/3_minibatches
start; finish 77; expect 'TODO in lab1_gd/gradient.c, line [0-9]+'
