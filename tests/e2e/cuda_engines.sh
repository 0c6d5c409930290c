#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# cuDNN, asked without a GPU: what the backend chooses for each convolution of the networks on an
# A100, an H100 and a B200 (tests/tools/cudnn_engines.c) is a deterministic engine, with tensor
# cores in BF16, FP16 and TF32, without them in FP32. On a V100, which has no BF16, there is none
# for that: so it would be seen.
set -u
tool=$BUILD/tests/tools/cudnn_engines
out=$("$tool" 2>&1); status=$?
echo "$out"
[ $status != 77 ] || exit 77
lines=$(grep -cE ' convolutions, [0-9]+ calls, 0 without an engine' <<<"$out")
if [ $status != 0 ] || [ "$lines" != 12 ]; then
    echo "wrong: exit status $status, $lines of 12 lines"; exit 1
fi
out=$("$tool" --v100 2>&1); status=$?
if [ $status != 1 ] ||
    ! grep -qE 'V100.*bf16: [0-9]+ convolutions, [0-9]+ calls, [1-9][0-9]* without' <<<"$out"; then
    echo "$out"; echo "wrong: a V100 without BF16: exit status $status"; exit 1
fi
