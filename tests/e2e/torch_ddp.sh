#!/usr/bin/env bash
# The Rosetta page: lab2_ddp/rosetta/ddp.py, PyTorch DDP on two gloo ranks, resumes from our
# checkpoint and has our losses. One global batch is all images, so that their order does not
# matter. Needs a Python with torch: PYTHON_TORCH=path, else python3; and Fashion-MNIST.
# seconds: 300
# sanitizers: no
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON_TORCH:-python3} data=/usr/share/datasets/fashion-mnist
"$python" -c 'import torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null ||
    { echo "skipped: $python lacks torch with gloo (see PYTHON_TORCH)"; exit 77; }
[ -d $data ] || { echo "skipped: no Fashion-MNIST here"; exit 77; }
. tests/e2e/_work.sh
export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1
ours() { # options…
    common/setup/launch.sh --np 2 "$BUILD/sol/lab2_ddp/3_train" --device cpu --data fashion \
        --model mlp --images 512 --test-images 100 --batch 256 --rate 0.02 --schedule constant \
        --warmup 0 --threads 1 --out "$work/out" "$@" >"$work/log" 2>&1
}
ours --epochs 2 || fail "our first epochs"
cp "$work/out/lab2_train/checkpoint.safetensors" "$work/start"
ours --epochs 6 --resume "$work/start" || fail "our other epochs"
awk -F, 'NR > 1 { print $3 }' "$work/out/lab2_train/metrics.csv" >"$work/ours"
"$python" -m torch.distributed.run --standalone --nproc-per-node 2 lab2_ddp/rosetta/ddp.py \
    "$work/start" $data 4 512 256 0.02 >"$work/log" 2>&1 || fail "PyTorch"
sed -n 's/^epoch .*: loss \([0-9.]*\) over 512 images, 2 ranks/\1/p' "$work/log" >"$work/theirs"
paste "$work/ours" "$work/theirs"
paste "$work/ours" "$work/theirs" | awk '
    { off = ($1 - $2) / $2; if (NF != 2 || off > 1e-5 || off < -1e-5) bad = 1 }
    END { exit bad || NR != 4 }' || fail "other losses"
[ -s "$work/start.pt" ] || fail "no file of PyTorch's"
