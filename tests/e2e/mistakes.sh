#!/usr/bin/env bash
# Each check passes its reference, alone among stubs, and names every mistake that is known of its
# exercise, by the tables in LAB/check/mistakes.txt (tests/tools/mistakes.py). The first of each
# exercise; ALL=1: every eighteenth (make mistakes: all).
# seconds: 900
# sanitizers: no
set -u
failed=0
for lab in lab?_*; do
    EVERY=$([ -n "${ALL-}" ] && echo 18 || echo 1000) tests/tools/mistakes.py check "$lab" ||
        failed=1
done
exit $failed
