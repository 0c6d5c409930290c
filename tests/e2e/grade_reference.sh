#!/usr/bin/env bash
# The grader passes the reference on synthetic images. Few, so low thresholds; guessing gives 0.10.
# What it says of others, and of a small network: grade_pile.sh.
# seconds: 900
# all: yes
# sanitizers: no
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "wrong: $*"; failed=1; }
sed -E 's/("from": )\{[^}]*\}/\1{"synthetic": 0.15}/
    s/("at_least": )\{[^}]*\}/\1{"synthetic": 0.20}/' assessment/rubric.json >"$work/rubric.json"

"$BUILD/assessment/grader/grade" --trust --secret 1 \
    --submission "$BUILD/assessment/solution/train.c" --np 2 \
    --data synthetic --images 1000 --epochs 6 --budget 300 --device cpu \
    --rubric "$work/rubric.json" --out "$work/out" >"$work/log" 2>&1
status=$?
cat "$work/log"
says() { grep -qE -- "$1" "$work/log" || wrong "the table does not say '$1'"; }
[ $status = 0 ] || wrong "the reference: exit $status, expected 0"
[ "$(grep -c '^PASS ' "$work/log")" = 8 ] ||
    wrong "the reference: expected eight lines PASS"
says '^100 of 100 points '
says 'synthetic: 900 \+ 100 images given, 6 epochs, scored on 200 others'
[ ! -e "$work/out/run/data" ] || wrong "the images were left behind"
exit $failed
