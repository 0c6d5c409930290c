#!/usr/bin/env bash
# seconds: 120
# sanitizers: no
# cuDNN, asked without a GPU: on an A100, an H100 and a B200 each convolution of the networks has an
# engine that uses tensor cores, in BF16, TF32 and FP16 (tests/tools/cudnn_engines.c). On a V100,
# which has no BF16, none has one in it: so this would be seen.
set -u
tool=$BUILD/tests/tools/cudnn_engines
out=$("$tool" 2>&1); status=$?
echo "$out"
[ $status != 77 ] || exit 77
lines=$(grep -c ' convolutions, 0 calls without tensor cores' <<<"$out")
if [ $status != 0 ] || [ "$lines" != 9 ]; then
    echo "wrong: exit status $status, $lines of 9 lines"; exit 1
fi
out=$("$tool" --v100 2>&1); status=$?
if [ $status != 1 ] || ! grep -qE 'V100.*bf16: ([0-9]+) convolutions, [1-9]' <<<"$out"; then
    echo "$out"; echo "wrong: a V100 without BF16: exit status $status"; exit 1
fi
