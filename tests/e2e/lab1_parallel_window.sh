#!/usr/bin/env bash
# seconds: 120
# sanitizers: no
# Lab 1, part 9, in its window, on two ranks: each key does what the handout says; the stubs show what is to do; closing the window, or Ctrl-C, ends both ranks.
set -eu
program=$BUILD/sol/lab1_gd/9_three_parallelisms
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_three_parallelisms saves=0

start() { # options…
    : >"$work/log"
    rm -rf "$results"
    saves=0
    env --default-signal=INT common/setup/launch.sh --np 2 "$program" --data synthetic --width 64 --batch 48 --micro 4 --updates 3 --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    xdotool mousemove $((X + 300)) $((Y + 250)); sleep 1
}
finish() { # exit status expected
    for _ in $(seq 30); do kill -0 $pid 2>/dev/null || break; press q; sleep 0.5; done
    ! kill -0 $pid 2>/dev/null || fail "q does not end the ranks"
    wait $pid || [ $? = "${1:-0}" ] || fail "exit status is not ${1:-0}"
}
expect() { grep -qE -- "$1" "$work/log" || fail "expected '$1'"; echo "ok: $1"; }
key() { press "$1"; sleep 0.2; }
shot() { # another window-N.png
    saves=$((saves + 1)); press s
    for _ in $(seq 50); do [ -s "$results/window-$saves.png" ] && return; sleep 0.1; done
    fail "no window-$saves.png"
}
settle() { # all schemes are measured: then nothing moves any more, for over a second
    local still=0
    shot
    for _ in $(seq 60); do
        sleep 0.4; shot
        if cmp -s "$results/window-$((saves - 1)).png" "$results/window-$saves.png"; then still=$((still + 1)); else still=0; fi
        [ $still -lt 3 ] || return 0
    done
    fail "the picture never comes to rest"
}
changes() { # what, picture, picture
    ! cmp -s "$results/window-$2.png" "$results/window-$3.png" || fail "$1 does not change the picture"
    echo "ok: $1"
}

start; settle
a=$saves; key comma; shot; key period; shot
key 3; shot; key 0; shot
changes ', one step back' $a $((a + 1)); changes '. one step on' $((a + 1)) $((a + 2)); changes '3, one scheme' $((a + 2)) $((a + 3)); changes '0, all of them' $((a + 3)) $((a + 4))
key r; settle; a=$saves; key space; sleep 1; key space; shot; changes 'space, the clock' $a $saves
finish
expect '^tensor +partial sums'; expect 'first frame after'; grep 'frame' "$work/log"

start
key plus; key plus; key minus; settle; finish # 4, 6, 8, 6 divide 48 pictures
expect '^micro pipeline'
grep -q '^micro pipeline,6,' "$results/metrics.csv" || fail "expected 6 micro-batches: $(cat "$results/metrics.csv")"

start --updates 64 --width 512
kill -INT $pid; wait $pid || [ $? = 130 ] || fail "exit status $? after Ctrl-C"
expect 'results in'

program=$BUILD/student/lab1_gd/9_three_parallelisms
start; finish 77; expect 'TODO in lab1_gd/busy.c, line [0-9]+'
