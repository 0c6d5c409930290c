#!/usr/bin/env bash
# check.sh PROGRAM…: run the exercises' checks, each BUILD/VARIANT/LAB/check/NAME, in this order.
# Each prints a line per exercise, with its points as WON/OF; after each lab comes the sum, with the
# number of lines still to do. Exit status: 0 nothing is wrong (what is to do is not), 1 a line says
# FAIL, or the highest status of a check above 1.
#
# The lines can be trusted: these programs have no line of a student's code, but start others that
# do, and what those print comes indented.
set -u
work=$(mktemp -d) || exit 2
export LABS_PARENT=${LABS_PARENT:-$$} # what this starts ends with it
"${BASH_SOURCE[0]%/*}/guard.sh" watch $$
trap 'rm -rf "$work"' EXIT

worst=0
lab_of() { basename "$(dirname "$(dirname "$1")")"; }
while [ $# -gt 0 ]; do
    lab=$(lab_of "$1")
    : >"$work/lines"
    while [ $# -gt 0 ] && [ "$(lab_of "$1")" = "$lab" ]; do
        "$1" </dev/null | tee "$work/one"
        status=${PIPESTATUS[0]}
        grep -qE '^(PASS|FAIL|TODO) ' "$work/one" || {
            echo "error: $1 ended with status $status before its verdict: its points are missing"
            [ "$status" -gt 1 ] || status=2
        }
        cat "$work/one" >>"$work/lines"
        [ "$status" = 77 ] && status=0 # still to do
        [ "$status" -le "$worst" ] || worst=$status
        shift
    done
    awk '/^(PASS|FAIL|TODO) / && match($0, / [0-9]+\/[0-9]+ /) {
            split(substr($0, RSTART, RLENGTH), part, /[ \/]/); won += part[2]; of += part[3]
            to_do += $1 == "TODO" }
        END { printf "%d of %d points%s\n", won, of, to_do ? ", " to_do " to do" : "" }' \
        "$work/lines"
done
exit "$worst"
