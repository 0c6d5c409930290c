# shellcheck shell=bash disable=SC2034,SC2154
# _screen.sh: for scripts that drive a window: a virtual screen of 1400 x 900 for $program, or the reason why it is skipped. Sets work, screen, and DISPLAY.
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
