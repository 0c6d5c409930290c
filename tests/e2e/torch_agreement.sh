#!/usr/bin/env bash
# Every network of the course computes what PyTorch computes: loss, every gradient, running
# statistics, logits; tolerances in tests/torch/agree.py; and so do lab 3's optimisers. Needs a
# Python with torch and safetensors: PYTHON_TORCH=path, else python3.
# seconds: 300
set -u
cd "$(dirname "$0")/../.." || exit 2
python=${PYTHON_TORCH:-python3}
"$python" -c 'import torch, safetensors.torch' 2>/dev/null ||
    { echo "skipped: $python lacks torch or safetensors (see PYTHON_TORCH)"; exit 77; }
dump=$BUILD/tests/tools/model_dump
[ -x "$dump" ] || { echo "wrong: $dump is not built"; exit 1; }
export PYTHONDONTWRITEBYTECODE=1
"$python" tests/torch/agree.py "$dump" || exit 1
steps=$BUILD/tests/tools/optimiser_steps
[ ! -x "$steps" ] || "$python" tests/torch/optimisers.py "$steps" || exit 1

# And its loss landscapes agree with PyTorch's, with batch statistics and with running ones.
[ -d /usr/share/datasets/fashion-mnist ] ||
    { echo "landscape: not compared: no Fashion-MNIST here"; exit 0; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
for norm in batch running; do
    HEADLESS=1 "$BUILD/sol/lab1_gd/5_loss_landscape" --data fashion --updates 20 --images 300 \
        --points 5 --measure-batch 100 --norm $norm --no-path \
        --no-lines --no-eigenvalues --out "$work" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    "$python" tests/torch/landscape.py "$work/lab1_loss_landscape" resnet8 || exit 1
done
