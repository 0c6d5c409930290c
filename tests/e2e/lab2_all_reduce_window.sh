#!/usr/bin/env bash
# Lab 2, part 2, in its window, on six ranks: each key does what the handout says; the stubs name
# their exercises; closing the window, or Ctrl-C, ends all ranks.
# all: yes
# seconds: 600
# sanitizers: no
set -eu
program=$BUILD/sol/lab2_ddp/2_all_reduce
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab2_all_reduce

start() {
    : >"$work/log"
    rm -rf "$results"
    env --default-signal=INT common/setup/launch.sh --np 6 "$program" --largest 16 \
        --out "$work/out" >"$work/log" 2>&1 &
    pid=$!
    find_window 'Lab 2'
    listens 300 250
}
measured() { within 300 grep -q '^measured  100 %' "$work/log" || fail "it does not measure all"; }
key() { press "$1"; changes "$2"; } # key, what it does

start; measured; settle
key period 'one step'
key comma 'one step back'
key a 'another algorithm'
key plus 'more ranks'
key bracketright 'a longer vector'
press space; changes 'the clock'; press space
key r 'from the start'
key 2 'the times'
key minus 'fewer ranks in the times'
key bracketleft 'a shorter vector in the times'
key 3 'the map'
finish
expect '^ +6 +16 KiB +ring +10'
expect 'first frame after'; grep 'frame' "$work/log"

start
kill -INT $pid; wait $pid || [ $? = 130 ] || fail "exit status $? after Ctrl-C"
expect 'results in'

program=$BUILD/student/lab2_ddp/2_all_reduce
start; finish 77; expect 'to do: TODO in lab2_ddp/exercises/2b_all_reduce_ring.c, line [0-9]+'
