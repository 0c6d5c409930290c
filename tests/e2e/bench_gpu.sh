#!/usr/bin/env bash
# seconds: 60
# sanitizers: no
# The performance table of a GPU, without one: ceilings that are given, and a play for the program
# that trains. The table has the rows that were asked for; one whose convolutions did not all go by
# cuDNN says so, and fails the whole.
set -u
bench=$BUILD/tests/bench/bench_gpu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "wrong: $*"; cat "$work/out"; failed=1; }

cat >"$work/train_rate" <<'END'
#!/bin/sh
echo "device GPU 0 of 1, a play, $CONVOLUTIONS"
echo ready
while read -r seconds; do
    echo "12800 0.1 1000 0 0"
    case $* in *--layers*) printf 'convolution conv1 0.001 1e9 1e9 1e6\n\n' ;; esac
done
END
chmod +x "$work/train_rate"

table() { # what it says of its convolutions, status, options…
    CONVOLUTIONS=$1 "$bench" --programs "$work" --python false --out "$work" --rounds 2 \
        --ceilings 60,450,780,780,3000 "${@:3}" >"$work/out" 2>&1
    status=$?
    [ $status = "$2" ] || wrong "$1, ${*:3}: exit status $status, expected $2"
}
rows() { [ "$(grep -c 'images/s; a step' "$work/out")" = "$1" ] || wrong "expected $1 rows"; }

all='convolutions by cuDNN: forward 9, data 8, weights 9 of 9, by graphs 9, 8, 9'
table "$all" 0 --only resnet8
rows 4
table "$all" 0 --only resnet8 --precision bf16
rows 1
grep -q '^resnet8 *bf16' "$work/out" || wrong "no row for bf16"
table "$all" 0 --only resnet8 --precision fp16
grep -q '^resnet8 *fp16' "$work/out" || wrong "no row for fp16"
table "$all" 0 --precision tf32
rows 3
for words in 'convolution by im2col' "$all, 2 refused when called" \
    'convolutions by cuDNN: forward 9, data 7, weights 9 of 9' \
    'convolutions by cuDNN: forward 8, data 9, weights 9 of 9' \
    'convolutions by cuDNN: forward 9, data 9, weights 0 of 9'; do
    table "$words" 1 --only resnet8 --precision bf16
    rows 1
    grep -qF "FAIL: not all convolutions went by cuDNN: GPU 0 of 1, a play, $words" "$work/out" ||
        wrong "no such line"
done
table "$all" 2 --only resnet9
table "$all" 2 --precision half
table "$all" 2 --ceilings 60,450,780,3000
cat "$work/out"
exit $failed
