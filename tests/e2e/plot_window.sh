#!/usr/bin/env bash
# seconds: 600
# A figure's window on a virtual screen: every key, the mouse, resizing, closing; it shows the
# pixels that it saves. Prints frame times.
set -eu
demo=$BUILD/tests/tools/plot_demo program=$demo
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh

seen=0
# A line after those already seen, that matches $1; its number among them is in line.
said() {
    line=$(tail -n +$((seen + 1)) "$work/log" | grep -nE -m 1 -- "$1" | cut -d: -f1)
    [ -n "$line" ]
}
expect() {
    within 300 said "$1" || fail "no line '$1'"
    seen=$((seen + line))
    echo "ok: $1"
}
start() {
    : >"$work/log"
    "$demo" window "$work/saved" >>"$work/log" 2>&1 &
    pid=$! seen=0
    expect '^first frame after'
    find_window '^plot demo$'
    xdotool mousemove $((X + 300)) $((Y + 250))
}
# The window against a PNG, once its messages and values are gone, or have come.
as_saved() { "$screen" same "$work/Xvfb_screen0" "$X" "$Y" "$work/saved-$1.png" >"$work/pixels"; }
not_as_saved() { ! as_saved "$1"; }
shows() { # how, number of the PNG, what is wrong otherwise
    within 300 "$1" "$2" || fail "$3: $(cat "$work/pixels")"
    cat "$work/pixels"
}
aside() { xdotool mousemove $((X + 2)) $((Y + 2)); } # where there are no values
on_surface() { xdotool mousemove $((X + 300)) $((Y + 250)); }
saved() { [ -s "$work/saved-$1.png" ]; }
save() { press s; within 300 saved "$1" || fail "no saved-$1.png"; }

start
grep '^first frame' "$work/log"

press space; expect "key ' '"; expect 'paused 1'
press period; expect "key '\.'"
press r; expect 'step 0 paused 1'
press period; expect 'step 1 paused 1'
press period; expect 'step 2 paused 1'
press comma; expect "key ','"; expect 'step 1 paused 1'
press bracketleft; expect "key '\['"; expect 'rate 0.0032'
press bracketright; expect "key '\]'"; expect 'rate 0.0040'
press minus; expect "key '-'"
press plus; expect "key '\+'"

aside; save 1
shows as_saved 1 "the window does not show what it saves"
on_surface; shows not_as_saved 1 "no values are shown"
aside; shows as_saved 1 "the values stay"
on_surface; press Tab; save 2
cmp -s "$work/saved-1.png" "$work/saved-2.png" && fail "Tab shows nothing"
press Tab; aside; shows as_saved 1 "Tab leaves something behind"
press question; shows not_as_saved 1 "? shows nothing"
press question; shows as_saved 1 "? leaves something behind"

on_surface
xdotool mousedown 1 mousemove_relative 40 0 mousemove_relative 20 10 mouseup 1
expect 'drag panel 0'; expect 'camera azimuth [-0-9.]+'
xdotool click 4; expect 'zoom 1.10'
xdotool click 5; expect 'zoom 1.00'
xdotool mousemove $((X + 1000)) $((Y + 200)) click 1
expect 'click panel 1'; expect '^start -?[01]\.'
xdotool mousemove $((X + 300)) $((Y + 250)) click 1; expect 'click panel 0'; expect '^start'

xdotool windowsize --sync "$window" 900 600
# The program notices some frames later: saved until it has.
number=2
resized() {
    number=$((number + 1)); save $number
    file_size=$(od -An -tu1 -j16 -N8 "$work/saved-$number.png" | xargs)
    [ "$file_size" = "0 0 3 132 0 0 2 88" ]
}
aside; within 300 resized || fail "the PNG of a 900 × 600 window says $file_size"
eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^[XY]=')"
echo "after resizing:"
shows as_saved $number "the resized window does not show what it saves"

xdotool windowsize --sync "$window" 1280 720
press space; expect 'paused 0'
"$screen" close "$window"
expect '^quit'; expect '^frames'
wait $pid || fail "exit status $? after the close button"
grep '^frames' "$work/log"

start
press q; expect '^quit'
wait $pid || fail "exit status $? after q"

# A small screen, which goes away or stops responding: the program continues without its window.
# Silent for a minute: with ALL=1.
mkfifo "$work/small"
filled() { eval "$(xdotool getwindowgeometry --shell "$window")"; [ "$WIDTH×$HEIGHT" = 1024×600 ]; }
for signal in KILL ${ALL:+STOP}; do
    Xvfb -displayfd 3 -noreset -screen 0 1024x600x24 3>"$work/small" >/dev/null 2>&1 &
    small=$!
    read -r -t 60 DISPLAY <"$work/small" || fail "no second Xvfb"
    DISPLAY=:$DISPLAY
    start
    eval "$(xdotool getwindowgeometry --shell "$window")"
    ((X >= 0 && Y >= 20 && X + WIDTH <= 1024 && Y + HEIGHT <= 600)) ||
        fail "$WIDTH × $HEIGHT at $X, $Y: no room for it and its title bar on 1024 × 600"
    press F11
    within 300 filled || fail "F11: $WIDTH × $HEIGHT"
    kill -$signal $small
    expect 'no window any more'; expect '^quit'
    wait $pid || fail "exit status $? after the display went away ($signal)"
    tail -n 3 "$work/log"
    kill -KILL $small 2>/dev/null || true
done
