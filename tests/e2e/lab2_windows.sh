#!/usr/bin/env bash
# seconds: 900
# sanitizers: no
# Lab 2's windows: each key of part 11 does what the handout says; ALL=1: of parts 2, 4, 6 and 7,
# too; part 5 pauses and resumes; the stubs name their exercises; closing the window, or Ctrl-C,
# ends all ranks.
set -eu
program=$BUILD/sol/lab2_ddp/11_what_if
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
title='Lab 2' mouse='600 250'
key() { press "$1"; changes "$1 ($2)"; } # key, what it does
said() { within 300 grep -q -- "$1" "$work/log" || fail "it does not say '$1'"; }

start 1 sol/lab2_ddp/11_what_if
key bracketright 'twice the ranks'
key minus 'a slower link'
key period 'twice the batch'
key d 'the next machine'
key n 'the next network'
key p FP32
key r 'the next remedy'
key z 'the next stage'
finish
expect '16 × H100, batch 16 each, FP32 · 10 Gbit/s, 20 µs · ZeRO 1'
[ -n "${ALL-}" ] || exit 0

# ---- part 2, on six ranks ----
mouse='300 250'
part=lab2_ddp/2_all_reduce
start 6 sol/$part --largest 16; said '^measured  100 %'; settle
key period 'one step'
key comma 'one step back'
key a 'another algorithm'
key plus 'more ranks'
key bracketright 'a longer vector'
key space 'the clock'; press space
key r 'from the start'
key 2 'the times'
key minus 'fewer ranks in the times'
key bracketleft 'a shorter vector in the times'
key 3 'the map'
finish
expect '^ +6 +16 KiB +ring +10'
expect 'first frame after'; grep 'frame' "$work/log"
start 6 sol/$part --largest 16
kill -INT $pid; wait $pid || [ $? = 130 ] || fail "exit status $? after Ctrl-C"
expect 'results in'
start 6 student/$part --largest 16
finish 77; expect 'to do: TODO in lab2_ddp/exercises/2b_all_reduce_ring.c, line [0-9]+'
mouse='600 250'

# ---- part 4 ----
start 2 sol/lab2_ddp/4_overlap --data synthetic --model resnet8 --batch 2 --updates 2; settle
key bracketright 'twice the bandwidth'; settle
before=$(wc -l <"$work/log")
key minus 'smaller buckets'
all_again() { tail -n +$((before + 1)) "$work/log" | grep -q ' 31/31 settings'; }
within 240 all_again || fail "it does not measure all settings"
finish
expect '800 Mbit/s, 500 µs +overlapped: buckets +30 KB'

# ---- part 5 ----
start 1 sol/lab2_ddp/5_partition --data synthetic --model linear --images 2048 --test 200 \
    --epochs 4 --seeds 6 --split 4
press space; settle; press space
paused=$shots
said 'trained  100 %'
shot; differ "$paused" "$shots" "space (resumed)"
finish
expect 'first frame'

# ---- part 6 ----
start 2 sol/lab2_ddp/6_network --batch 4 --compute 60 --link 1Gbit/s,50us; settle
key bracketright 'twice the bandwidth'; settle
key plus 'twice the latency'; settle
key m 'the other network'; settle
key o overlapped; settle
finish
expect '^2 Gbit/s, 100 µs, overlapped: 8 buckets'

# ---- part 7 ----
start 2 sol/lab2_ddp/7_compression --data synthetic --images 512 --test 100 --hidden 32 --batch 4 \
    --updates 5 --seeds 1 --only bits
said 'trained  100 %'; settle
key bracketleft 'a lower target'; settle
finish
expect 'pays below'
