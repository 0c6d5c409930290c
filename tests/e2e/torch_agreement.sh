#!/usr/bin/env bash
# Every network of the course computes what PyTorch computes: loss, every gradient, running statistics, logits (torch/agree.py says how near).
# Wants a Python with torch and safetensors: PYTHON_TORCH=path, else python3.
# seconds: 300
set -u
cd "$(dirname "$0")/../.." || exit 2
python=${PYTHON_TORCH:-python3}
"$python" -c 'import torch, safetensors.torch' 2>/dev/null ||
    { echo "skipped: $python has no torch and safetensors (PYTHON_TORCH=path names another)"; exit 77; }
dump=$BUILD/tests/tools/model_dump
[ -x "$dump" ] || { echo "wrong: $dump is not built"; exit 1; }
PYTHONDONTWRITEBYTECODE=1 "$python" tests/torch/agree.py "$dump"
