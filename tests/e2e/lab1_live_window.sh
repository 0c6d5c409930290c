#!/usr/bin/env bash
# seconds: 150
# sanitizers: no
# Live training on its surface: each key and the mouse do what the handout says, while it trains; the stub shows what is to do.
set -eu
program=$BUILD/sol/lab1_gd/6_live_surface
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_live_surface saves=0

start() {
    : >"$work/log"
    rm -rf "$results"
    saves=0
    "$program" --data synthetic --model linear --rate 0.01 --images 1000 --measured 64 --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    xdotool mousemove $((X + 300)) $((Y + 250)); sleep 1
}
finish() { # exit status expected
    for _ in $(seq 20); do kill -0 $pid 2>/dev/null || break; press q; sleep 0.5; done
    ! kill -0 $pid 2>/dev/null || fail "q does not close the window"
    wait $pid || [ $? = "${1:-0}" ] || fail "exit status is not ${1:-0}"
}
expect() { grep -qE -- "$1" "$work/log" || fail "expected '$1'"; echo "ok: $1"; }
key() { press "$1"; sleep 0.3; }
save() { # another window-N.png
    saves=$((saves + 1)); press s
    for _ in $(seq 50); do [ -s "$results/window-$saves.png" ] && return; sleep 0.1; done
    fail "no window-$saves.png"
}
same() { cmp -s "$results/window-$((saves - 1)).png" "$results/window-$saves.png"; }
settle() { # paused, the surface is measured to its end: then nothing moves any more, for over a second
    local still=0
    save
    for _ in $(seq 40); do
        sleep 0.4; save
        if same; then still=$((still + 1)); else still=0; fi
        [ $still -lt 3 ] || return 0
    done
    fail "paused, the picture still changes"
}

# The first update is due at once, the next after 10 s: then only keys make any.
start --speed 0.1
key space
for _ in 1 2 3 4; do key period; done
settle
xdotool mousemove $((X + 930)) $((Y + 220)) mousedown 1 mousemove_relative 60 0 mousemove_relative 40 20 mouseup 1; sleep 0.3
save; ! same || fail "dragging does not turn the surface"
xdotool click 4; sleep 0.3
save; ! same || fail "the wheel does not zoom the surface"
key h
save; ! same || fail "h changes nothing"
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
