#!/usr/bin/env bash
#
# seconds: 300
# sanitizers: no
# The show: it begins full screen, its ideas follow each other by keys and by themselves, a click
# begins a new path, a film's frames are numbered from 1.
set -eu
program=$BUILD/sol/lab1_gd/6_live_surface
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_live_surface

start() {
    : >"$work/log"
    rm -rf "$results"
    "$program" --show --data synthetic --model linear --images 1000 --measured 64 \
        --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 300 250
}

start --speed 0.1
press t a # it stands still
settle
width=$(head -c 24 "$results/window-$shots.png" | tail -c 8 | od -An -tu1 |
    awk '{print $3 * 256 + $4}')
[ "$width" = 1400 ] || fail "not full screen: $width pixels wide"
before=$shots
press period; settle
differ "$before" "$shots" ". (the next idea)"
press space # or it trains on, an update every few seconds
settle
press v
within 30 [ -s "$results/film/000002.png" ] || fail "no film"
cmp "$results/film/000002.png" "$results/window-$shots.png" || fail "the film shows more"
echo "ok: the film is what the window shows"
press v t; changes "t"
press t
finish
expect 'film: ([0-9]+ frames|.*film.mp4)'
expect 'first frame after'; grep 'frame' "$work/log"

start --speed 20
press t a period
sleep 3; press space; settle
began=$(date +%s%N); xdotool mousemove $((X + 700)) $((Y + 480)) click 1; sleep 0.5
press space; shot
most=$((($(date +%s%N) - began) / 50000000 + 3))
finish
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -ge 1 ] && [ "$count" -le $most ] ||
    fail "a click, and $count updates, at most $most since"
echo "ok: a click begins a new path: $count updates"

# Backwards from the first idea to the last: it lays the path's plane first. And an idea again.
start --speed 20
press comma; sleep 4; finish
expect 'surface: plane of the path'
expect 'batch 32, momentum 0'
start --speed 20
press t a period; sleep 5; press r; sleep 1; press space; finish
count=$(grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+')
[ "$count" -ge 1 ] && [ "$count" -le 80 ] || fail "r, and $count updates since"
echo "ok: r begins again: $count updates"

start --speed 1
: >"$results/film"
press v; sleep 1; press v
finish
[ "$(grep -c '^no figure.*film' "$work/log")" = 1 ] || fail "not one line: no film"
! grep '^film:' "$work/log" || fail "a film of no frames"
echo "ok: a film that cannot be written ends"

HEADLESS=1 "$program" --show --data synthetic --model linear --images 1000 --measured 64 \
    --out "$work/out" --updates 5 >"$work/log" 2>&1 || fail "without a window: exit status $?"
expect 'after 5 updates'
[ -s "$results/show.png" ] || fail "no show.png"
