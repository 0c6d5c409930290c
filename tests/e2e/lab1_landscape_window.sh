#!/usr/bin/env bash
#
# all: yes
# seconds: 900
# sanitizers: no
# Lab 1's surfaces in their windows: the loss landscape (part 5), which grows while it is measured;
# live training on one (part 6): each key and the mouse do what the handout says; the stubs. With
# ALL=1 restarting and the show, too: full screen, its ideas follow each other by keys, a click
# begins a new path, a film's frames are numbered from 1.
set -eu
program=$BUILD/sol/lab1_gd/5_loss_landscape
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
. tests/e2e/_small_data.sh
small_data "$work" 1000 240
data=(--data cifar10 --data-dir "$work")
drag() { # the surface
    xdotool mousemove $((X + 930)) $((Y + 220)) mousedown 1 \
        mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1
    changes "dragging the surface"
}

# ---- part 5 ----
points() { grep -c '^[0-9]' "$results/mlp-plane.points.csv" 2>/dev/null || true; }
reached() { [ "$(points)" -ge "$1" ] 2>/dev/null; }
wait_for() { within 300 reached "$1" || fail "$(points) points, waited for $1"; } # points

start 1 sol/lab1_gd/5_loss_landscape "${data[@]}" --model mlp --train-images 1000 \
    --updates 5 --batch 32 --images 1000 --points 101 --threads 1 --no-eigenvalues
wait_for 10
pauses points
press space; settle; paused=$(points)
press period; wait_for $((paused + 1)); press period; wait_for $((paused + 2)); settle
[ "$(points)" = $((paused + 2)) ] || fail "two steps from $paused points: $(points)"
press h; changes "h"
drag
press space; wait_for $((paused + 20))
finish
expect 'first frame'; expect ': .*/landscape\.png$'

folder=lab1_loss_landscape_by_layer start 1 student/lab1_gd/5_loss_landscape "${data[@]}" \
    --model linear --train-images 100 --batch 32 --updates 2 --images 10 --points 3 --no-eigenvalues
finish 77; expect 'TODO in lab1_gd/exercises/5_filter_normalize.c'

# ---- part 6 ----
live=(1 sol/lab1_gd/6_live_surface "${data[@]}" --model linear --rate 0.01 --images 1000
    --measured 64)
# The first update is due at once, the next after 10 s: the others come from keys.
start "${live[@]}" --speed 0.1
press space period period period period
settle
drag
xdotool click 4; changes "the wheel"
press h; changes "h"; press e; changes "e"
press p; changes "p"; settle
press bracketright bracketright bracketleft minus minus plus M M M m
finish; expect 'after ([4-9]|1[0-9]) updates at rate 0.0125, batch 16, momentum 0.8: still moving'
expect 'surface: plane through start and now, [0-9]+ × [0-9]+ points'
expect 'first frame after'; grep 'frame' "$work/log"

start 1 student/lab1_gd/6_live_surface "${live[@]:2}"
finish 77; expect 'TODO in lab1_gd/exercises/5_filter_normalize.c, line [0-9]+'
[ -n "${ALL-}" ] || exit 0

# r restarts, and it runs.
start "${live[@]}" --speed 0.1
key=(); for _ in {1..60}; do key+=(period); done
press space "${key[@]}"; settle; press r; changes "r"
finish; [ "$(updates)" -lt 30 ] || fail "r, and $(updates) updates since"
start "${live[@]}" --speed 100 --plane random
press space; settle; press r; frames
finish; [ "$(updates)" -ge 1 ] || fail "r, and no update since"
echo "ok: r"

# ---- the show ----
show=(1 sol/lab1_gd/6_live_surface "${data[@]}" --show --model linear --images 1000
    --measured 64)
start "${show[@]}" --speed 0.1
press t 1 # it stops, and waits for keys
settle
width=$(head -c 24 "$results/window-$shots.png" | tail -c 8 | od -An -tu1 |
    awk '{print $3 * 256 + $4}')
[ "$width" = 1400 ] || fail "not full screen: $width pixels wide"
before=$shots
press period space; settle # without the space it trains on, an update every few seconds
differ "$before" "$shots" ". (the next idea)"
press v
within 60 [ -s "$results/film/000002.png" ] || fail "no film"
cmp "$results/film/000002.png" "$results/window-$shots.png" || fail "the film shows more"
echo "ok: the film is what the window shows"
press v t; changes "t"
press t
finish
expect 'film: ([0-9]+ frames|.*film.mp4)'
expect 'first frame after'; grep 'frame' "$work/log"

begins_again() { # name, command that begins again
    start "${show[@]}" --speed 20
    press t 2
    frames; press space; settle
    local began most
    began=$(date +%s%N); "${@:2}"; changes "$1"; frames; press space; shot
    most=$((($(date +%s%N) - began) / 50000000 + 3))
    settle
    finish
    [ "$(updates)" -ge 1 ] && [ "$(updates)" -le $most ] ||
        fail "$1, and $(updates) updates, at most $most since"
    echo "ok: $1 begins again: $(updates) updates"
}
# The surface is somewhere below the middle: it turned until the key.
clicks() { for y in 480 420 360 300 240; do xdotool mousemove 700 $y click 1; done; }
begins_again "a click" clicks
begins_again "r" press r

# Backwards from the first idea to the last: it lays the path's plane first, and then does an update
# every ten seconds.
start "${show[@]}" --speed 0.1
press t 1; settle; press comma; changes "the last idea"; press space; settle; finish
expect 'surface: plane of the path'
expect 'batch 32, momentum 0'

start "${show[@]}" --speed 1
: >"$results/film"
press v; frames; press v
finish
[ "$(grep -c '^no figure.*film' "$work/log")" = 1 ] || fail "not one line: no film"
! grep '^film:' "$work/log" || fail "a film of no frames"
echo "ok: a film that cannot be written ends"
