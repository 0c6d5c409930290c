#!/usr/bin/env bash
#
# seconds: 300
# sanitizers: no
# Lab 1, part 9, in its window, on two ranks: each key does what the handout says; the stubs name
# their exercises; closing the window, or Ctrl-C, ends both ranks.
set -eu
program=$BUILD/sol/lab1_gd/9_three_parallelisms
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab1_three_parallelisms

start() { # options…
    : >"$work/log"
    rm -rf "$results"
    env --default-signal=INT common/setup/launch.sh --np 2 "$program" --data synthetic \
        --width 64 --batch 48 --micro 4 --updates 3 --out "$work/out" "$@" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 1'
    listens 300 250
}
key() { press "$1"; }
changes() { # what, shot, shot
    ! cmp -s "$results/window-$2.png" "$results/window-$3.png" ||
        fail "$1 does not change the figure"
    echo "ok: $1"
}

measured() { # number of micro-batches, how many times
    for _ in $(seq 300); do
        [ "$(grep -c "^measured  100 % .*micro-batches $1" "$work/log")" -lt "$2" ] || return 0
        sleep 0.1
    done
    fail "the schemes are not measured with $1 micro-batches within 30 s"
}

start; measured 4 1; settle
a=$shots; key comma; shot; key period; shot
key 3; shot; key 0; shot
changes ', one step back' $a $((a + 1)); changes '. one step forward' $((a + 1)) $((a + 2))
changes '3, one scheme' $((a + 2)) $((a + 3)); changes '0, all of them' $((a + 3)) $((a + 4))
key r; measured 4 2; settle; a=$shots; key space; sleep 1; key space; shot
changes 'space, the clock' $a $shots
finish
expect '^tensor +partial sums'; expect 'first frame after'; grep 'frame' "$work/log"

start
# 4, 6 and 8 divide 48 images.
measured 4 1; key plus; measured 6 1; key plus; measured 8 1; key minus; measured 6 2; finish
expect '^micro pipeline'
grep -q '^micro pipeline,6,' "$results/metrics.csv" ||
    fail "expected 6 micro-batches: $(cat "$results/metrics.csv")"

start --updates 64 --width 512
kill -INT $pid; wait $pid || [ $? = 130 ] || fail "exit status $? after Ctrl-C"
expect 'results in'

program=$BUILD/student/lab1_gd/9_three_parallelisms
start; measured 4 1; finish 77; expect 'TODO in lab1_gd/exercises/8_busy.c, line [0-9]+'
expect 'TODO in lab1_gd/exercises/9a_pipeline_turn.c'; expect '^data +gradients .* –  '
! grep -E '^(tensor|.* pipeline) ' "$work/log" || fail "a scheme without its exercise"
