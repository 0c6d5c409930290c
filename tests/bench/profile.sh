#!/usr/bin/env bash
# profile.sh BUILD [OPTION…]: where a GPU's time goes: NVIDIA's Nsight Systems over some steps of
# train_rate, with its ranges (forward, backward, each layer) and kernels. OPTIONs are train_rate's.
# Skips without nsys, or without a GPU.
set -u
export LC_ALL=C
build=$1; shift
out=build/out/profile
if ! command -v nsys >/dev/null; then
    echo "profile: skipped: no nsys (Nsight Systems, a part of CUDA) on the PATH"
    exit 0
fi
mkdir -p "$out"
# --plain: a recorded step would appear as one block.
echo 1 >"$out/commands"
nsys profile --trace=cuda,nvtx --force-overwrite=true --output="$out/train" \
    "$build/tests/bench/train_rate" --device cuda --plain --from "$out/commands" --model resnet20 \
    "$@" >"$out/log" 2>&1; status=$?
if no_gpu=$(grep -m 1 -e '--device=cuda: ' "$out/log"); then
    echo "profile: skipped: $no_gpu"
    exit 0
fi
[ $status = 0 ] || { cat "$out/log"; exit 1; }
stats() { nsys stats --force-export=true --report "$1" "$out/train.nsys-rep"; }
stats nvtx_sum,cuda_gpu_kern_sum || stats nvtxsum,gpukernsum # before 2023
echo "$out/train.nsys-rep"
