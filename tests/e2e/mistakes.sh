#!/usr/bin/env bash
# Each check passes its reference, alone among stubs, and names every mistake that is known of its
# exercise, by the tables in LAB/check/mistakes.txt (tests/tools/mistakes.py). The first of every
# fourth exercise; ALL=1: every eighteenth of all of them (make mistakes: all).
# seconds: 900
# sanitizers: no
set -u
failed=0
for lab in lab?_*; do
    names=$(sed -n 's/^\[\(.*\)\]$/\1/p' "$lab/check/mistakes.txt")
    [ -n "${ALL-}" ] || names=$(awk 'NR % 4 == 1' <<<"$names")
    # shellcheck disable=SC2086 # words
    EVERY=$([ -n "${ALL-}" ] && echo 18 || echo 1000) tests/tools/mistakes.py check "$lab" $names ||
        failed=1
done
exit $failed
