# shellcheck shell=bash disable=SC2034,SC2120,SC2154
# _screen.sh: for scripts that drive a window: a virtual screen of 1400 x 900 (or $size) for
# $program, or the reason why it is skipped. Sets work, screen and DISPLAY; start sets pid, program
# and results, that program's folder. What it says is in $work/log.
unset HEADLESS WAYLAND_DISPLAY
# SDL2 unloads X11 and D-Bus before the end: what they leave cannot be told apart from our leaks,
# which the unit tests look for.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
screen=$BUILD/tests/tools/screen work=$(mktemp -d)
for tool in Xvfb xdotool "$program" "$screen"; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
"$screen" png 2>/dev/null || [ $? != 77 ] ||
    { echo "skipped: built without Cairo or libX11"; exit 77; }
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# Without -noreset it restarts when its last client leaves, and refuses the next one meanwhile. It
# writes its number when it is ready; reading that ends if it cannot start.
mkfifo "$work/display"
Xvfb -displayfd 3 -noreset -r -screen 0 "${size:-1400x900}x24" -fbdir "$work" 3>"$work/display" \
    >/dev/null 2>&1 &
read -r -t 60 display <"$work/display" || { echo "skipped: Xvfb does not start here"; exit 77; }
exec {pipe}<>"$work/display" # through which nothing more comes
DISPLAY=:$display
export DISPLAY SDL_VIDEODRIVER=x11

fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
# within LIMIT COMMAND…: waits until the command succeeds, LIMIT seconds at most. Reading the pipe
# sleeps, without a process for each time.
within() {
    local end=$((SECONDS + $1)); shift
    until "$@"; do [ $SECONDS -lt $end ] || return 1; read -r -t 0.05 <&$pipe || true; done
}
gone() { ! kill -0 "$pid" 2>/dev/null; }
press() { xdotool key "$@"; }
# Waits until the window called $1 is visible and has a place: that on the screen, in X and Y. Keys
# typed from then on wait for it, if it is still at its first frame.
seen() {
    local place
    window=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1)
    [ -n "$window" ] || return 1
    place=$(xdotool getwindowgeometry --shell "$window" 2>/dev/null | grep -E '^[XY]=-?[0-9]+$')
    [ "$(wc -l <<<"$place")" = 2 ] && eval "$place"
}
find_window() {
    seen_or_gone() { seen "$1" || gone; }
    within 300 seen_or_gone "$1" && ! gone || fail "no window '$1'"
}
# Moves the mouse to ($1, $2) of the window, and waits until the program has shown a frame and
# listens. A key before that may be lost, so s is pressed again; each s that it has heard is a shot.
listens() {
    local presses
    xdotool mousemove $((X + $1)) $((Y + $2))
    for presses in 1 2 3 4; do
        press s
        within 30 [ -s "$results/window-1.png" ] || continue
        [ $presses = 1 ] || within 10 [ -s "$results/window-$presses.png" ] || true
        shots=$(find "$results" -name 'window-*.png' | wc -l)
        return
    done
    fail "the window does not listen"
}
# start RANKS sol|student/LAB/PROGRAM OPTIONS…: until its window, called $title, listens, with the
# mouse at $mouse; its results in $folder, where that is not named like the program.
title='Lab 1' mouse='300 250'
start() {
    local name=${2##*/} lab=${2#*/}
    program=$BUILD/$2 results=$work/out/${folder:-${lab%%_*}_${name#*_}}
    : >"$work/log"
    rm -rf "$results"
    env --default-signal=INT common/setup/launch.sh --np "$1" "$program" --out "$work/out" \
        "${@:3}" >"$work/log" 2>&1 &
    pid=$!
    find_window "$title"
    # shellcheck disable=SC2086 # two numbers
    listens $mouse
}
# Close it, with this exit status (0).
finish() {
    for _ in 1 2 3 4 5; do press q; within 30 gone && break; done
    gone || fail "q does not end the program"
    local status=0
    wait "$pid" || status=$?
    [ $status = "${1:-0}" ] || fail "exit status $status, expected ${1:-0}"
}
expect() { grep -qE -- "$1" "$work/log" || fail "expected '$1'"; echo "ok: $1"; }
# Saves what the window shows, after all keys so far, as its next window-N.png; N is in shots. A
# file gets its final name when it is complete.
shots=0
shot() {
    shots=$((shots + 1)); press s
    within 300 [ -s "$results/window-$shots.png" ] || fail "no window-$shots.png"
}
frames() { for _ in 1 2 3 4 5 6 7 8; do shot; done; } # eight or more, a fifth of a second
updates() { grep -oE 'after [0-9]+ updates' "$work/log" | grep -oE '[0-9]+'; } # once it has ended
same() { cmp -s "$results/window-$1.png" "$results/window-$2.png"; }
differ() { ! same "$1" "$2" || fail "$3 changes nothing"; echo "ok: $3"; }
# Has the figure changed since the last shot?
changed() { shot; ! same $((shots - 1)) "$shots"; }
changes() { within 300 changed || fail "$1 changes nothing"; echo "ok: $1"; }
# Waits until five shots in a row are the same: nothing changes from frame to frame.
settle() {
    local still=0 end=$((SECONDS + 600))
    shot
    until [ $still = 4 ]; do
        [ $SECONDS -lt $end ] || fail "the figure keeps changing"
        if changed; then still=0; else still=$((still + 1)); fi
    done
}
# What COMMAND… counts grows; space stops it, and starts it again.
pauses() { # COMMAND…
    local before n=0
    before=$("$@")
    grew() { shot; n=$((n + 1)); [ "$("$@")" != "$before" ]; }
    within 600 grew "$@" || fail "it does not begin: $before"
    press space; settle
    before=$("$@")
    for ((n = 2 * n + 4; n > 0; n--)); do shot; done # twice as many frames as it took, and more
    [ "$("$@")" = "$before" ] || fail "it continues while paused: $before, $("$@")"
    press space; within 600 grew "$@" || fail "space again does not resume: $before"
    echo "ok: space stops it, and starts it again"
}
