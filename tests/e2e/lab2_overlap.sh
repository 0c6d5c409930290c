#!/usr/bin/env bash
#
# seconds: 900
# sanitizers: no
# Lab 2, part 4: every update ends with the weights of one all-reduce, and waits no shorter than the
# virtual link takes; on two ranks and a slow link overlap waits less than one all-reduce, and that
# less than one per layer; the stub; bad options; ALL=1: the window's keys.
set -eu
program=$BUILD/sol/lab2_ddp/4_overlap
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab2_overlap
small="--data synthetic --model resnet8 --batch 2 --updates 2"
launch() { # ranks, options…
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$program" --out "$work/out" $small "$@" \
        >"$work/log" 2>&1
}
# The columns: bandwidth, latency, exchange, least, steady, update, exposed, predicted, difference.
judge() { # most difference of a weight, is the order judged?
    awk -F, -v most="$1" -v order="${2-}" '
        NR == 1 { next }
        $3 != "none" && !($9 <= most) { print "weights: " $0; bad = 1 }
        $3 == "none" || $5 == 1 { next }
        { rows++ }
        $3 !~ /^overl/ && $7 < 0.99 * $8 { print "shorter than the link takes: " $0; bad = 1 }
        { waits[$1, substr($3, 1, 5)] = $7; bandwidth[$1] }
        END {
            for (b in bandwidth) { # on a slow link the backward pass hides milliseconds
                if (b > 5e7)
                    continue
                naive = waits[b, "naive"]; flat = waits[b, "flat:"]; buckets = waits[b, "overl"]
                if (order && !(buckets < flat && flat < naive))
                    { print "order at " b " bytes/s"; bad = 1 }
            }
            if (rows != 27) { print rows " rows"; bad = 1 }
            exit bad
        }' "$results/metrics.csv"
}

export HEADLESS=1
launch 2 --batch 16 && judge 0 order || fail "on 2 ranks"
[ -z "${ALL-}" ] || {
    launch 4 --bucket 30000 && judge 1e-4 || fail "on 4 ranks"
    launch 2 --clock real --link 10Gbit/s,20us || fail "on the real clock"
}
status=0
for options in '--link none' '--link 3parsec,1us' '--clock sand'; do
    # shellcheck disable=SC2086  # options and a value
    launch 2 $options && fail "$options is taken"
    grep -qE 'error: .*(a link|expected)' "$work/log" || fail "$options: no reason"
done
launch 1 && fail "one rank is taken"
expect 'error: needs at least 2 ranks: make lab2 ONLY=4_overlap NP=2'
program=$BUILD/student/lab2_ddp/4_overlap
launch 2 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
expect 'to do: TODO in lab2_ddp/exercises/4a_bucket_add.c, line [0-9]+'

[ -n "${ALL-}" ] || exit 0 # its window
unset HEADLESS
program=$BUILD/sol/lab2_ddp/4_overlap
rm -f "$results"/window-*.png
launch 2 &
pid=$!
find_window 'Lab 2'
listens 600 250
settle
press bracketright; changes "] (twice the bandwidth)"; settle
before=$(wc -l <"$work/log")
press minus; changes "- (smaller buckets)"
all_again() { tail -n +$((before + 1)) "$work/log" | grep -q ' 31/31 settings'; }
within 240 all_again || fail "it does not measure all settings"
finish
expect '800 Mbit/s, 500 µs +overlapped: buckets +30 KB'
