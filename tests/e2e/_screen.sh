# shellcheck shell=bash disable=SC2034,SC2120,SC2154
# _screen.sh: for scripts that drive a window: a virtual screen of 1400 x 900 for $program, or the reason why it is skipped. Sets work, screen, and DISPLAY. The
# script sets pid, the program that it started with its output in $work/log, and results, that program's folder.
unset HEADLESS WAYLAND_DISPLAY
# SDL2 unloads X11 and D-Bus before the end: what they leave cannot be told from our leaks, which the unit tests look for.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
screen=$BUILD/tests/tools/screen work=$(mktemp -d)
for tool in Xvfb xdotool "$program" "$screen"; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
"$screen" png 2>/dev/null || [ $? != 77 ] || { echo "skipped: built without Cairo or libX11"; exit 77; }
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

# -noreset: else it starts afresh when its last client leaves, and refuses the next one meanwhile.
Xvfb -displayfd 3 -noreset -screen 0 1400x900x24 -fbdir "$work" 3>"$work/display" >/dev/null 2>&1 &
for _ in $(seq 100); do [ -s "$work/display" ] && break; sleep 0.1; done
[ -s "$work/display" ] || { echo "skipped: Xvfb does not start here"; exit 77; }
DISPLAY=:$(cat "$work/display")
export DISPLAY SDL_VIDEODRIVER=x11

fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
press() { xdotool key "$1"; }
# The window called $1, waited for; its place on the screen in X and Y.
find_window() {
    for _ in $(seq 150); do window=$(xdotool search --name "$1" | head -n 1) && [ -n "$window" ] && break; sleep 0.1; done
    [ -n "$window" ] || fail "no window '$1' within 15 s"
    eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^[XY]=')"
}
# Close it, with this exit status (0). A window that is not there yet does not hear the first q.
finish() {
    for _ in $(seq 80); do kill -0 "$pid" 2>/dev/null || break; press q; sleep 0.5; done
    ! kill -0 "$pid" 2>/dev/null || fail "q does not end the program"
    local status=0
    wait "$pid" || status=$?
    [ $status = "${1:-0}" ] || fail "exit status $status, expected ${1:-0}"
}
expect() { grep -qE -- "$1" "$work/log" || fail "expected '$1'"; echo "ok: $1"; }
# What the window shows now, as its next window-N.png; N is in shots, which begins at 0 with each start of the program.
shots=0
shot() {
    shots=$((shots + 1)); press s
    for _ in $(seq 100); do [ -s "$results/window-$shots.png" ] && return; sleep 0.1; done
    fail "no window-$shots.png"
}
same() { cmp -s "$results/window-$1.png" "$results/window-$2.png"; }
# Wait until nothing moves any more, for over a second.
settle() {
    local still=0
    shot
    for _ in $(seq 60); do
        sleep 0.4; shot
        if same $((shots - 1)) "$shots"; then still=$((still + 1)); else still=0; fi
        [ $still -lt 3 ] || return 0
    done
    fail "the picture never comes to rest"
}
