#!/usr/bin/env bash
# windows.sh BUILD [SECONDS]: how smooth are lab 1's windows? Each program runs with no options on a virtual screen, while it computes: seconds from the command
# to the first frame on the screen, and the milliseconds from one frame to the next over SECONDS (10), median and 99th percentile. As root with COLD=1 the
# system first forgets what it has read from files.
set -eu
BUILD=$1 seconds=${2:-10}
program=$BUILD/sol/lab1_gd/1_gradient_descent
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
ranks() { case $1 in 8_*) echo 2 ;; 9_*) echo 4 ;; *) echo 1 ;; esac; }

printf '%-36s %5s  %13s  %6s  %6s  %6s\n' program ranks 'first frame s' frames 'p50 ms' 'p99 ms'
for program in "$BUILD"/sol/lab1_gd/[0-9]_*; do
    name=$(basename "$program")
    case $name in *.o | *.d) continue ;; esac
    np=$(ranks "$name")
    [ -z "${COLD:-}" ] || { sync; echo 3 >/proc/sys/vm/drop_caches; }
    began=$(date +%s.%N)
    common/setup/launch.sh --np "$np" "$program" --out "$work/out" >"$work/log" 2>&1 &
    pid=$!
    shown=$("$screen" lit "$work/Xvfb_screen0" 1320 800) || fail "no frame of $name"
    sleep "$seconds"
    for _ in $(seq 60); do kill -0 $pid 2>/dev/null || break; press q; sleep 0.5; done
    wait $pid || fail "$name: exit status $?"
    sed -nE 's/^first frame after .*; ([0-9]+) frames, frame time p50 ([0-9.]+) ms, p99 ([0-9.]+) ms.*/\1 \2 \3/p' "$work/log" |
        { read -r frames p50 p99; printf '%-36s %5d  %13.2f  %6d  %6.1f  %6.1f\n' "$name" "$np" "$(awk "BEGIN { print $shown - $began }")" "$frames" "$p50" "$p99"; }
done
