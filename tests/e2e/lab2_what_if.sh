#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# Lab 2, part 11: what the calculator says is what the link takes, within 5 %, for every remedy and
# stage; it agrees with parts 6 and 10 and with two of the twelve numbers; its window's keys; the
# stub; bad options.
set -eu
program=$BUILD/sol/lab2_ddp/11_what_if
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab2_what_if
say() { "$program" --out "$work/out" "$@" >"$work/log" 2>&1; }
measure() { # ranks, options…
    local ranks=$1
    shift
    common/setup/launch.sh --np "$ranks" "$program" --out "$work/out" --measure "$@" \
        >"$work/log" 2>&1 || fail "--measure on $ranks ranks"
    awk -F, -v what="$*" 'NR == 1 { next }
        { rows++; off = $4 / $5 - 1 }
        !(off <= 0.05 && off >= -0.05) { print what ": " $0; bad = 1 }
        END { exit bad || rows != 12 }' "$results/metrics.csv" || fail "not as predicted"
    echo "ok: $(grep '^largest error' "$work/log"), $ranks ranks, $*"
}

export HEADLESS=1
measure 4 --net 0 --machine 0 --fp32 --link 1Gbit/s,50us --batch 32
measure 2 --net 1 --machine 0 --fp32 --link 100Mbit/s,1ms --batch 32
measure 6 --net 4

# Part 6's update of 8 ranks: 60 ms of computing and the MLP's gradient (batch 215 at 40 GFLOP/s).
say --net 0 --machine 0 --fp32 --link 1Gbit/s,50us --ranks 8 --batch 215 || fail "part 6's update"
expect 'an update takes 165 ms, 105 ms of it for the network: efficiency 36\.5 %'
say --net 4 --ranks 8 --stage 1 || fail "question 9"
expect 'parameters 2 GB, gradient 2 GB, state 1\.5 GB'
# Part 10's bytes: a shard, and one layer of 1,049,600 parameters; stage 3 sends three vectors.
say --net 0 --fp32 --ranks 8 --stage 3 || fail "part 10's stage 3"
expect 'a rank sends 19\.6 MB per update'
expect 'parameters 5\.13 MB, gradient 5\.13 MB, state 1\.86 MB'
say --net 4 --ranks 8 --remedy 7 --link 100Mbit/s || fail "question 12"
expect '1\.12 s of it for the network'
say --ranks 1 || fail "one rank"
expect '0 µs of it for the network: efficiency 100\.0 %'
expect '^not in the model: '

for options in '--link none' '--link 3' '--stage 4' '--remedy 8' '--stage 2 --remedy 4' \
    '--stage 2 --remedy 2' '--measure'; do
    # shellcheck disable=SC2086  # options and values
    say $options && fail "$options is taken"
    grep -q '^error: ' "$work/log" || fail "$options: no reason"
done
status=0
"$BUILD/student/lab2_ddp/11_what_if" --out "$work/out" >"$work/log" 2>&1 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
expect 'to do: TODO in lab2_ddp/exercises/6a_efficiency.c, line [0-9]+'

unset HEADLESS
rm -f "$results"/window-*.png
say &
pid=$!
find_window 'Lab 2'
listens 600 250
press bracketright; changes "] (twice the ranks)"
press minus; changes "- (a slower link)"
press period; changes ". (twice the batch)"
press d; changes "d (the next machine)"
press n; changes "n (the next network)"
press p; changes "p (FP32)"
press r; changes "r (the next remedy)"
press z; changes "z (the next stage)"
finish
expect '16 × H100, batch 16 each, FP32 · 10 Gbit/s, 20 µs · ZeRO 1'
