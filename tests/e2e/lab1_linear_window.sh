#!/usr/bin/env bash
#
# seconds: 300
# sanitizers: no
# Lab 1, parts 1 to 3, in their windows: each key and the mouse do what `?` and the handout say;
# resize; both ways to close; the stubs name their exercise. With ALL=1 restarting and speed, too.
set -eu
program=$BUILD/sol/lab1_gd/1_gradient_descent
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh

paused() { # sol|student/PROGRAM, its folder, options…: at update 0
    folder=$2 start 1 "${1/\//\/lab1_gd\/}" "${@:3}"
    press space comma comma comma # at 10 s per update a slow machine may have made one or two
}
forward() { local key=() i; for ((i = 0; i < $1; i++)); do key+=(period); done; press "${key[@]}"; }
# r restarts after 60 updates, and it runs after r.
restarts() { # program, folder
    paused "$@" --speed 0.1
    forward 60; press r
    finish; [ "$(updates)" -lt 30 ] || fail "r, and $(updates) updates since"
    paused "$@" --speed 100
    press r; frames
    finish; [ "$(updates)" -ge 5 ] || fail "r, and only $(updates) updates since"
    echo "ok: r"
}
# f doubles the speed, and F halves it: 20 updates take 0.05 s, or 200 s. At ($3, $4) are contours.
faster() { # program, folder
    paused "$1" "$2" --speed 0.1
    press f f f f f f f f f f f f space; frames
    finish; [ "$(updates)" -ge 20 ] || fail "f, and only $(updates) updates"
    paused "$1" "$2" --speed 400
    xdotool mousemove $((X + $3)) $((Y + $4)) click 1
    press F F F F F F F F F F F F space; frames
    finish; [ "$(updates)" -lt 20 ] || fail "F, and $(updates) updates"
    echo "ok: f, F"
}

# Part 1: nothing moves by itself, so that figures can be compared.
part=(sol/1_gradient_descent lab1_gradient_descent)
paused "${part[@]}" --speed 0.1
forward 3; shot; third=$shots
forward 2; shot; differ "$third" "$shots" ". (a step)"
press comma comma; shot
same "$third" "$shots" || fail ", does not take . back"
press period comma comma comma comma comma comma; shot
press n; changes "n"; press N N; changes "N"
press n bracketright bracketright bracketleft period
finish; expect 'after 1 updates at rate 0.125: '; expect 'first frame after'
grep 'frame' "$work/log"
made=$(sed -n 's/^true line .* \([0-9.]*\)$/\1/p' "$work/log")
awk -v loss="$made" 'BEGIN { exit !(loss > 0.2 && loss < 0.3) }' ||
    fail "noise 0.5, as at the start, should leave a loss of about 0.25: $made"

[ -z "${ALL-}" ] || restarts "${part[@]}"

paused "${part[@]}" --speed 0.1
xdotool mousemove $((X + 200)) $((Y + 450)) click 1; changes "a click"; press period
xdotool mousemove $((X + 1100)) $((Y + 540)) mousedown 1 \
    mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1
changes "dragging the surface"
xdotool windowsize --sync "$window" 900 600; shot; press question; shot; press question; shot
"$screen" close "$window"; wait $pid || fail "exit status $? after the close button"
first=$(sed -n 2p "$results/metrics.csv")
[ "$first" != "0,-1.5,3,${first##*,}" ] ||
    fail "a click on the contours did not move the start: $first"
echo "ok: picked $first; resize, help, close"

paused student/1_gradient_descent lab1_gradient_descent
finish 77; expect 'TODO in lab1_gd/exercises/1a_gradient.c, line [0-9]+'

# Part 2: steps, back, rate, sampling.
part=(sol/2_stochastic_gradient_descent lab1_sgd)
paused "${part[@]}" --speed 0.1
forward 5; press comma comma m bracketright bracketright bracketleft
finish; expect 'after 3 updates .* at rate 0.0375, drawn with replacement'
paused "${part[@]}" --speed 0.1
press n; changes "noise"
xdotool mousemove $((X + 620)) $((Y + 200)) click 4; changes "the wheel"
xdotool click 1; changes "a click"; press period
press question; shot; press question
finish
first=$(sed -n 2p "$results/metrics.csv")
case $first in
    0,0,*,-0.5,2.5,*) fail "a click on the contours did not move the start: $first" ;;
esac
[ -z "${ALL-}" ] || { restarts "${part[@]}"; faster "${part[@]}" 620 200; }

# Part 3: steps and back; the marked racer's batch; rate, sampling, noise and a click restart it.
part=(sol/3_minibatches lab1_minibatches)
paused "${part[@]}" --speed 0.1
press 3 minus 2 plus plus; forward 5; press comma
finish; expect 'after 4 updates at rate 0.03, shuffled'
[ "$(cut -d , -f 1 "$results/metrics.csv" | sort -un | xargs)" = 'batch 1 16 100' ] ||
    fail "− and + on the marked racers: $(cut -d , -f 1 "$results/metrics.csv" | sort -u | xargs)"
paused "${part[@]}" --speed 0.1
press m bracketright n; changes "noise"
xdotool mousemove $((X + 150)) $((Y + 200)) click 4; changes "the wheel"
xdotool click 1; changes "a click"; press period
finish; expect 'after 1 updates at rate 0.0375, drawn without'
[ -z "${ALL-}" ] || { restarts "${part[@]}"; faster "${part[@]}" 150 200; }

paused student/3_minibatches lab1_minibatches
finish 77; expect 'TODO in lab1_gd/exercises/2_shuffle.c, line [0-9]+'
