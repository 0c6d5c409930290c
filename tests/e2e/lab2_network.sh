#!/usr/bin/env bash
#
# seconds: 900
# sanitizers: no
# Lab 2, part 6: on the virtual clock, 2, 4 and 8 ranks take what is predicted, within 5 %, with and
# without overlap; where communication takes over, the efficiency is a half; a busy machine changes
# nothing; the stub; bad options; ALL=1: the window's keys.
set -eu
program=$BUILD/sol/lab2_ddp/6_network
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab2_network
launch() { # ranks, options…
    local ranks=$1
    shift
    common/setup/launch.sh --np "$ranks" "$program" --out "$work/out" --batch 4 "$@" \
        >"$work/log" 2>&1
}
# network,ranks,bandwidth,latency,buckets,forward,backward,bytes,seconds,measured,predicted
judge() { # points expected
    awk -F, -v points="$1" 'NR == 1 { next }
        { rows++; off = $10 / $11 - 1; if (off < 0) off = -off }
        !(off <= 0.05) { print "not as predicted: " $0; bad = 1 }
        $8 != ($1 == "mlp" ? 7454760 : 311016) { print "bytes: " $0; bad = 1 }
        END { if (rows != points) { print rows " points"; bad = 1 }; exit bad }' \
        "$results/metrics.csv" || fail "$2"
    echo "ok: $2"
}

export HEADLESS=1
# 3 groups: both networks, 6 bandwidths, and 2 of the groups against 5 latencies.
# Questions 5 and 6 of answers.txt: efficiency 0.364, and as long as the computing at 1748 Mbit/s.
[ -z "${ALL-}" ] || {
    launch 8 --compute 60 --link 1Gbit/s,50us || fail "on 8 ranks"
    judge 34 "8 ranks, one exchange"
    expect 'MLP 784-1024-1024-10 +8 +164\.67 +36\.4 % +36\.4 % +1\.000 +1748 '
}
launch 8 --compute 60 --link 1Gbit/s,50us --overlap || fail "on 8 ranks, overlapped"
judge 34 "8 ranks, overlapped"
expect 'MLP 784-1024-1024-10 +8 +131\.77 ' # question 7
launch 2 --compute 60 --link 993.968Mbit/s || fail "where communication takes over"
judge 13 "2 ranks"
expect 'MLP 784-1024-1024-10 +2 +120\.00 +50\.0 % '
launch 2 --link 1Gbit/s,1ms || fail "computing as measured here"
judge 13 "computing as measured here"

status=0
for options in '--link none' '--link 3parsec,1us' '--compute -1'; do
    # shellcheck disable=SC2086  # options and a value
    launch 2 $options && fail "$options is taken"
    grep -qE 'error: .*(a link|expected)' "$work/log" || fail "$options: no reason"
done
launch 1 && fail "one rank is taken"
expect 'error: needs at least 2 ranks: make lab2 ONLY=6_network NP=8'
program=$BUILD/student/lab2_ddp/6_network
launch 2 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
expect 'to do: TODO in lab2_ddp/exercises/6a_efficiency.c, line [0-9]+'

[ -n "${ALL-}" ] || exit 0 # its window
unset HEADLESS
program=$BUILD/sol/lab2_ddp/6_network
rm -f "$results"/window-*.png
launch 2 --compute 60 --link 1Gbit/s,50us &
pid=$!
find_window 'Lab 2'
listens 600 250
settle
press bracketright; changes "] (twice the bandwidth)"; settle
press plus; changes "+ (twice the latency)"; settle
press m; changes "m (the other network)"; settle
press o; changes "o (overlapped)"; settle
finish
expect '^2 Gbit/s, 100 µs, overlapped: 8 buckets'
