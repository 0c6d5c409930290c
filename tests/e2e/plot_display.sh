#!/usr/bin/env bash
# seconds: 120
# Figures where there is no window to show them in: no display, a dead one, HEADLESS=1, and a build
# without Cairo and SDL2. Never a crash: a PNG instead, and one line that says why.
set -u
. tests/e2e/_work.sh
demo=$BUILD/tests/tools/plot_demo
unset HEADLESS DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER

expect_png() { # name, words of the line, command…
    local name=$1 words=$2
    shift 2
    "$@" window "$work/$name/figure" >"$work/out" 2>"$work/err" || wrong "$name: exit status $?"
    [ "$(grep -c "$words" "$work/err")/$(wc -l <"$work/err")" = 1/1 ] ||
        wrong "$name: expected one line with '$words'"
    [ "$(head -c 4 "$work/$name/figure.png" | tail -c 3)" = PNG ] || wrong "$name: no PNG"
    echo "$name: $(cat "$work/err")"
}
if "$demo" png "$work/probe" >/dev/null 2>"$work/err"; then
    expect_png none "no window: " env "$demo"
    expect_png dead "no window: " env DISPLAY=:987 "$demo"
    expect_png headless "HEADLESS" env HEADLESS=1 DISPLAY=:987 "$demo"
    # Displays that accept the connection and never answer.
    python3 - "$work/wayland" >"$work/port" 2>/dev/null <<'END' &
import socket, sys, time
wayland = socket.socket(socket.AF_UNIX)
wayland.bind(sys.argv[1])
wayland.listen()
x = socket.socket()
for port in range(6100, 6200):
    try:
        x.bind(("127.0.0.1", port))
        break
    except OSError:
        pass
x.listen()
print(port - 6000, flush=True)
time.sleep(300)
END
    for ((i = 0; i < 200; i++)); do [ ! -s "$work/port" ] || break; sleep 0.05; done
    if [ -s "$work/port" ]; then
        expect_png silent_x "does not answer" env DISPLAY="127.0.0.1:$(<"$work/port")" "$demo"
        expect_png silent_wayland "does not answer" env WAYLAND_DISPLAY="$work/wayland" "$demo"
        kill %1
    fi
else
    grep -q 'built without Cairo' "$work/err" || wrong "png: $(cat "$work/err")"
fi

# shellcheck disable=SC2086  # CC may be two words
${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O0 -Wall -Wextra -Werror -Wno-unused-parameter -Icommon \
    -Itests/support common/plot/plot*.c \
    common/base/{quantiles,check,printable,memory,cgroup,number,start,start_streams}.c \
    common/base/{file,timer}.c common/judge/{child,child_alone,child_family}.c \
    tests/support/plot_gallery.c tests/tools/plot_demo.c -lm \
    -o "$work/demo" 2>"$work/err" || wrong "it does not build without Cairo and SDL2"
DISPLAY=:987 "$work/demo" window "$work/without/figure" >"$work/out" 2>"$work/err"
[ $? = 2 ] || wrong "without Cairo: expected exit status 2"
grep -q 'no figure.*built without Cairo' "$work/err" ||
    wrong "without Cairo: expected a line that says so"
[ ! -e "$work/without/figure.png" ] || wrong "without Cairo: a figure all the same"
cat "$work/err"
exit $failed
