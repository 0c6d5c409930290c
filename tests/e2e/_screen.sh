# shellcheck shell=bash disable=SC2034,SC2120,SC2154
# _screen.sh: for scripts that drive a window: a virtual screen of 1400 x 900 (or $size) for
# $program, or the reason why it is skipped. Sets work, screen and DISPLAY. The script sets pid, the
# program that it started with its output in $work/log, and results, that program's folder.
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

# Without -noreset it restarts when its last client leaves, and refuses the next one meanwhile.
Xvfb -displayfd 3 -noreset -screen 0 "${size:-1400x900}x24" -fbdir "$work" 3>"$work/display" \
    >/dev/null 2>&1 &
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
[ -s "$work/display" ] || { echo "skipped: Xvfb does not start here"; exit 77; }
DISPLAY=:$(cat "$work/display")
export DISPLAY SDL_VIDEODRIVER=x11

fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
# within LIMIT COMMAND…: waits until the command succeeds, LIMIT seconds at most.
within() {
    local end=$((SECONDS + $1)); shift
    until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.05; done
}
gone() { ! kill -0 "$pid" 2>/dev/null; }
press() { local key; for key; do xdotool key "$key"; done; }
# Waits until the window called $1 is visible and has a place: that on the screen, in X and Y. Keys
# typed from then on wait for it, if it is still at its first frame.
seen() {
    local place
    window=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1)
    [ -n "$window" ] || return 1
    place=$(xdotool getwindowgeometry --shell "$window" 2>/dev/null | grep -E '^[XY]=-?[0-9]+$')
    [ "$(wc -l <<<"$place")" = 2 ] && eval "$place"
}
find_window() { within 60 seen "$1" || fail "no window '$1' within 60 s"; }
# Moves the mouse to ($1, $2) of the window, and waits until the program has shown a frame and
# listens. It hears a first q or s only then, so s is pressed again.
listens() {
    xdotool mousemove $((X + $1)) $((Y + $2))
    shots=0
    for _ in 1 2 3 4; do
        press s
        within 15 [ -s "$results/window-1.png" ] && shots=1 && return
    done
    fail "the window does not listen"
}
# Close it, with this exit status (0).
finish() {
    for _ in $(seq 15); do press q; within 4 gone && break; done
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
    within 30 [ -s "$results/window-$shots.png" ] || fail "no window-$shots.png"
}
same() { cmp -s "$results/window-$1.png" "$results/window-$2.png"; }
differ() { ! same "$1" "$2" || fail "$3 changes nothing"; echo "ok: $3"; }
# Has the figure changed since the last shot?
changed() { shot; ! same $((shots - 1)) "$shots"; }
changes() { within 15 changed || fail "$1 changes nothing"; echo "ok: $1"; }
# Waits until nothing has changed for over a second.
settle() {
    local still=0
    shot
    for _ in $(seq 60); do
        sleep 0.4; shot
        if same $((shots - 1)) "$shots"; then still=$((still + 1)); else still=0; fi
        [ $still -lt 3 ] || return 0
    done
    fail "the figure keeps changing"
}
