#!/usr/bin/env bash
# Lab 2's self-check: every line is PASS on the reference, and TODO on the files that students get.
# seconds: 600
set -u
work=$(mktemp -d)
verdicts() { sed -nE 's/^(PASS|FAIL|TODO)  (step [0-9]|[A-Za-z0-9_]+) .*/\1 \2/p' "$1"; }
programs=$(ls lab2_ddp/check/*_check.c | wc -l) # each has one line at least; part 3 has nine
expect() { # what, log, verdict, status, wanted status
    local lines wrong
    lines=$(verdicts "$2" | wc -l)
    wrong=$(verdicts "$2" | grep -vc "^$3 ")
    if [ "$lines" -lt $((programs + 8)) ] || [ "$wrong" != 0 ] || [ "$4" != "$5" ]; then
        echo "$1: expected a line $3 of each and exit $5, got exit $4 and:"; cat "$2"
        grep -A 6 '^FAIL' "$2"; exit 1
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
if grep 'your code is there' "$work/student.log"; then exit 1; fi
to_do=$(verdicts "$work/student.log" | wc -l)
grep -q "^0 of [0-9]* points, $to_do to do\$" "$work/student.log" ||
    { echo "it does not say how many are to do"; cat "$work/student.log"; exit 1; }
diff <(verdicts "$work/sol.log" | cut -d ' ' -f 2-) \
    <(verdicts "$work/student.log" | cut -d ' ' -f 2-) || exit 1
cat "$work/sol.log"
