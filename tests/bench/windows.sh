#!/usr/bin/env bash
# windows.sh BUILD [SECONDS]: how smooth are the labs' windows? Each program runs without options on
# a virtual screen of 1920 x 1080, while it computes, in its window of 1280 x 720, and lab 1's show
# full screen: seconds from the command to the first frame on the screen, and frame times in
# milliseconds over SECONDS (10), median and 99th percentile. As root with COLD=1 the system first
# drops its file cache.
set -eu
export LC_ALL=C
BUILD=$1 seconds=${2:-10}
program=$BUILD/sol/lab1_gd/1_gradient_descent size=1920x1080
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
ranks() { sed -n "s/^RANKS_$1 := //p; \$s/.*/1/p" make/labs.mk | head -n 1; }

printf '%-36s %5s  %13s  %6s  %6s  %6s\n' \
    program ranks 'first frame s' frames 'p50 ms' 'p99 ms'
bench() { # its name, its ranks, program and options
    local name=$1 np=$2 began shown pid frames p50 p99
    shift 2
    [ -z "${COLD:-}" ] || { sync; echo 3 >/proc/sys/vm/drop_caches; }
    began=$(date +%s.%N)
    common/setup/launch.sh --np "$np" "$@" --out "$work/out" >"$work/log" 2>&1 &
    pid=$!
    shown=$("$screen" lit "$work/Xvfb_screen0" 1320 800) || fail "no frame of $name"
    sleep "$seconds"
    for _ in $(seq 60); do kill -0 $pid 2>/dev/null || break; press q; sleep 0.5; done
    wait $pid || fail "$name: exit status $?"
    number='([0-9.]+)'
    times="^first frame after .*; $number frames, frame time p50 $number ms, p99 $number ms.*"
    read -r frames p50 p99 <<<"$(sed -nE "s/$times/\1 \2 \3/p" "$work/log")"
    printf '%-36s %5d  %13.2f  %6d  %6.1f  %6.1f\n' "$name" "$np" \
        "$(awk "BEGIN { print $shown - $began }")" "$frames" "$p50" "$p99"
}
for program in "$BUILD"/sol/lab[123]_*/[0-9]*_*; do
    name=$(basename "$program")
    case $name in *.o | *.d | 1_ranks | 3_train | 1_ranks_nccl) continue ;; esac # no window
    bench "$name" "$(ranks "$name")" "$program"
done
bench '6_live_surface --show, 1920 x 1080' 1 "$BUILD/sol/lab1_gd/6_live_surface" --show
