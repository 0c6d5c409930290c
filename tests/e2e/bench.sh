#!/usr/bin/env bash
# all: yes
# seconds: 300
# sanitizers: no
# make bench, short, without PyTorch: it measures this project, reports what it skips, and writes
# its table, layers and figure. No time is judged here. A GPU's table without one, from ceilings
# that are given and a play for the program that trains: it has the rows that were asked for; one
# whose convolutions did not all go by cuDNN says so, and fails the whole.
set -u
bench=$(dirname "$BUILD/x")/tests/bench
. tests/e2e/_work.sh

"$bench/bench" --programs "$bench" --python false --out "$work/out" --only resnet8 --rounds 2 \
    --pairs 2 --seconds 0.05 --batch 16 >"$work/log" 2>"$work/err" || wrong "exit status $?"
cat "$work/log" "$work/err"
grep -q "skipped: it does not start here" "$work/log" || wrong "PyTorch's absence is not reported"
[ "$(head -n 1 "$work/out/results.csv")" = name,threads,ranks,ours,peer,ratio,peer_setting ] ||
    wrong "the table's head"
grep -q "^resnet8,1,fp32,convolution,layer1.0.conv1," "$work/out/layers.csv" || wrong "no layers"
if [ "$(nproc)" -gt 1 ]; then
    grep -qE "^resnet8,1,2,[0-9.]+,[0-9.]+,[0-9.]+,two-processes$" "$work/out/results.csv" ||
        wrong "no ranks"
fi
[ -s "$work/out/roofline.png" ] || grep -qi cairo "$work/err" || wrong "no figure"

# A GPU's table: without a GPU one line that says why, and nothing is left behind.
"$bench/bench_gpu" --programs "$bench" --python false --out "$work/gpu" --only resnet8 --rounds 1 \
    --seconds 0.05 --batch 16 >"$work/log" 2>"$work/err"; status=$?
cat "$work/log" "$work/err"
if [ "$status" = 77 ]; then
    grep -q -e '--device=cuda: .*; use --device=cpu' "$work/err" ||
        wrong "it does not say why there is no GPU"
    [ ! -e "$work/gpu" ] || wrong "a table without a GPU"
else
    [ "$status" = 0 ] || wrong "exit status $status"
    [ "$(head -n 1 "$work/gpu/results_gpu.csv")" = name,precision,ours,peer,ratio,peer_setting ] ||
        wrong "the GPU's table"
fi

# ---- a GPU's table, played ----
wrong() { echo "wrong: $*"; cat "$work/words"; failed=1; }
cat >"$work/train_rate" <<'END'
#!/bin/sh
echo "device GPU 0 of 1, a play, $CONVOLUTIONS"
echo ready
while read -r seconds; do
    echo "12800 0.1 1000 0 0"
    case $* in *--layers*) printf 'convolution,conv1,0.001,1e9,1e9,1e6\n\n' ;; esac
done
END
chmod +x "$work/train_rate"

table() { # what it says of its convolutions, status, options…
    CONVOLUTIONS=$1 "$bench/bench_gpu" --programs "$work" --python false --out "$work/played" \
        --rounds 2 \
        --ceilings 60,450,780,780,3000 "${@:3}" >"$work/words" 2>&1
    status=$?
    [ $status = "$2" ] || wrong "$1, ${*:3}: exit status $status, expected $2"
}
rows() { [ "$(grep -c 'images/s; a step' "$work/words")" = "$1" ] || wrong "expected $1 rows"; }

all='convolutions by cuDNN: forward 9, data 8, weights 9 of 9, by graphs 9, 8, 9'
table "$all" 0 --only resnet8
rows 4
table "$all" 0 --only resnet8 --precision bf16
rows 1
grep -q '^resnet8 *bf16' "$work/words" || wrong "no row for bf16"
table "$all" 0 --only resnet8 --precision fp16
grep -q '^resnet8 *fp16' "$work/words" || wrong "no row for fp16"
table "$all" 0 --precision tf32
rows 3
for words in 'convolution by im2col' "$all, 2 refused when called" \
    'convolutions by cuDNN: forward 9, data 7, weights 9 of 9' \
    'convolutions by cuDNN: forward 8, data 9, weights 9 of 9' \
    'convolutions by cuDNN: forward 9, data 9, weights 0 of 9'; do
    table "$words" 1 --only resnet8 --precision bf16
    rows 1
    grep -qF "FAIL: not all convolutions went by cuDNN: GPU 0 of 1, a play, $words" "$work/words" ||
        wrong "no such line"
done
table "$all" 2 --only resnet9
table "$all" 2 --precision half
table "$all" 2 --ceilings 60,450,780,3000

# ---- the first minutes on a GPU: skipped without one, else played ----
mkdir -p "$work/b/tests/bench"
printf '#!/bin/sh\n[ "$1" != --list ] || echo "cuda.a 0 9"\n[ "$1" != cuda.a ] || exit %s\n' \
    '${A-77}' >"$work/b/tests/test_conv"
chmod +x "$work/b/tests/test_conv"
for test in cuda_gpu layers batchnorm vectors optim model_gradient comm comm_host; do
    ln -s test_conv "$work/b/tests/test_$test"
done
printf '#!/bin/sh\nexec "$(dirname "$0")/../../../train_rate" "$@" <"$4"\n' \
    >"$work/b/tests/bench/train_rate"
chmod +x "$work/b/tests/bench/train_rate"
first() { # status expected
    A=$1 CONVOLUTIONS=$all tests/tools/gpu_first.sh "$work/b" "$work/first" 60 >"$work/words" 2>&1
    status=$?
    [ $status = "$1" ] || wrong "gpu_first.sh: exit status $status, expected $1"
}
first 1
grep -q 'failed test_conv cuda.a' "$work/words" || wrong "a case that failed is not named"
first 0
grep -q 'cases: 7 passed' "$work/words" || wrong "the cases are not counted"
grep -q 'airbench-64.fp16: 128000 128000 128000 128000 images/s' "$work/words" || wrong "no rate"
exit $failed
