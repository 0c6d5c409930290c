#!/usr/bin/env bash
# seconds: 120
# sanitizers: no
# make bench, short, without PyTorch: it measures this project, reports what it skips, and writes
# its table, layers and figure. No time is judged here.
set -u
bench=$(dirname "$BUILD/x")/tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "wrong: $*"; failed=1; }

"$bench/bench" --programs "$bench" --python false --out "$work/out" --only resnet8 --rounds 2 \
    --pairs 2 --seconds 0.05 --batch 16 >"$work/log" 2>"$work/err" || wrong "exit status $?"
cat "$work/log" "$work/err"
grep -q "skipped: it does not start here" "$work/log" || wrong "PyTorch's absence is not reported"
[ "$(head -n 1 "$work/out/results.csv")" = name,threads,ranks,ours,peer,ratio,peer_setting ] ||
    wrong "the table's head"
grep -q "^resnet8,1,convolution,layer1.0.conv1," "$work/out/layers.csv" || wrong "no layers"
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
exit $failed
