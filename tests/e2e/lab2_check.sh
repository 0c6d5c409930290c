#!/usr/bin/env bash
# Lab 2's self-check: every line is PASS on the reference, and TODO on the files that students get.
# seconds: 240
set -u
work=$(mktemp -d)
labels='naive ring doubling halving tree seconds step-1 step-2 step-3 step-4 step-5 step-6 step-7
step-8 step-9 bucket_add bucket_finish exposed_seconds partition share_seen
round_stochastic ternary one_bit exchange_with_feedback top_k exchange_corrected sparse_add low_rank
pays_below'
verdicts() { sed -nE 's/^(PASS|FAIL|TODO)  (step [0-9]|[a-z_]+) .*/\1 \2/p' "$1"; }
expect() { # what, log, verdict, status, wanted status
    local lines wrong
    lines=$(verdicts "$2" | wc -l)
    wrong=$(verdicts "$2" | grep -vc "^$3 ")
    if [ "$lines" != "$(echo "$labels" | wc -w)" ] || [ "$wrong" != 0 ] || [ "$4" != "$5" ]; then
        echo "$1: expected a line $3 of each and exit $5, got exit $4 and:"; cat "$2"; exit 1
    fi
    if [ "$(grep -cE 'PASS|FAIL|TODO' "$2")" != "$lines" ]; then
        echo "$1: another line has one of these words:"; cat "$2"; exit 1
    fi
}

common/setup/check.sh "$BUILD"/sol/lab2_ddp/check/* >"$work/sol.log"
expect "the reference" "$work/sol.log" PASS $? 0
grep -q '^\([0-9]*\) of \1 points$' "$work/sol.log" ||
    { echo "the reference does not get all points"; cat "$work/sol.log"; exit 1; }
common/setup/check.sh "$BUILD"/student/lab2_ddp/check/* >"$work/student.log"
expect "the given programs" "$work/student.log" TODO $? 0
grep -q "^0 of [0-9]* points, $(echo "$labels" | wc -w) to do\$" "$work/student.log" ||
    { echo "it does not say how many are to do"; cat "$work/student.log"; exit 1; }
cat "$work/sol.log"
