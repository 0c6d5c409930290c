#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# all: yes
# Lab 1, parts 8 and 9, in their windows, on two ranks: each key does what the handout says; the
# stubs name their exercises; closing the window, or Ctrl-C, ends both ranks.
set -eu
program=$BUILD/sol/lab1_gd/8_fifteen_steps
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
. tests/e2e/_small_data.sh
small_data "$work" 1000 240

data=(--data cifar10 --data-dir "$work")
ctrl_c() {
    kill -INT $pid; wait $pid || [ $? = 130 ] || fail "exit status $? after Ctrl-C"
    expect 'results in'
}

# ---- part 8 ----
part=lab1_gd/8_fifteen_steps
start 2 sol/$part "${data[@]}" --batch 4
press space; settle # paused: the figure stops changing
shot; press period; changes ". (a step)"
press minus; shot; press space
for _ in {1..12}; do press period; done # on a busy machine the medians would have too few steps
shot; finish
expect 'steps of .* ms \(median'; expect '^13 optimiser: average'
expect '^of a step: forward [0-9]+ %, backward [0-9]+ %; beside it, loading [0-9.]+ %$'
expect 'first frame after'; grep 'frame' "$work/log"
[ -s "$results/trace.json" ] || fail "no timeline"

# + and r restart: few steps since.
start 1 sol/$part "${data[@]}" --batch 8
changes "a step by itself"; press plus; shot; press minus; shot; press space; shot
press r; shot; changes "r (and steps after it)"; press r period; finish
count=$(grep -oE '^[0-9]+ steps' "$work/log" | grep -oE '[0-9]+' || true)
[ "${count:-0}" -ge 1 ] && [ "$count" -lt 400 ] || fail "after r: $count steps"
echo "ok: r, $count steps"

start 2 sol/$part "${data[@]}" --batch 4
ctrl_c
start 1 student/$part "${data[@]}" --batch 4; finish 77
expect 'TODO in lab1_gd/exercises/8_busy.c, line [0-9]+'

# ---- part 9 ----
part=lab1_gd/9_three_parallelisms
few=("${data[@]}" --width 64 --batch 48 --micro 4 --updates 3)
measured() { # number of micro-batches, how many times
    local now="^measured  100 % .*micro-batches $1"
    often() { [ "$(grep -c "$now" "$work/log")" -ge "$1" ]; }
    within 120 often "$2" || fail "the schemes are not measured with $1 micro-batches"
}

start 2 sol/$part "${few[@]}"; measured 4 1; settle
press comma; changes ', one step back'; press period; changes '. one step forward'
press 3; changes '3, one scheme'; press 0; changes '0, all of them'
press r; measured 4 2; settle; press space; changes 'space, the clock'; press space
# 4, 6 and 8 divide 48 images.
press plus; measured 6 1; press plus; measured 8 1; press minus; measured 6 2
finish
expect '^tensor +partial sums'; expect 'first frame after'; grep 'frame' "$work/log"
expect '^micro pipeline'
grep -q '^micro pipeline,6,' "$results/metrics.csv" ||
    fail "expected 6 micro-batches: $(cat "$results/metrics.csv")"
# Of 48 images: all in GPipe; in 1F1B those of min(S - stage, M) micro-batches.
for kept in "micro pipeline,6,0,.*,48" "1F1B pipeline,6,0,.*,16" "1F1B pipeline,6,1,.*,8"; do
    grep -q "^$kept$" "$results/metrics.csv" ||
        fail "expected $kept: $(cat "$results/metrics.csv")"
done

start 2 sol/$part "${data[@]}" --width 512 --batch 48 --micro 4 --updates 64
ctrl_c

start 2 student/$part "${few[@]}"; measured 4 1; finish 77
expect 'TODO in lab1_gd/exercises/8_busy.c, line [0-9]+'
expect 'TODO in lab1_gd/exercises/9a_pipeline_turn.c'; expect '^data +gradients .* –  '
! grep -E '^(tensor|.* pipeline) ' "$work/log" || fail "a scheme without its exercise"
