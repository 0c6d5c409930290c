#!/usr/bin/env bash
# gpu_first.sh BUILD OUT [SECONDS]: the first minutes on a GPU, for one that is lent for ten: is it
# right, how fast, beside PyTorch. It builds nothing: a BUILD made elsewhere will do
# (make CUDA_ARCH=90 BUILD=…). Each step has a limit, all together SECONDS (240), the most telling
# come first; a table is printed, and kept in OUT with each step's log.
#   PYTHON_TORCH=python3   a Python with PyTorch
#   DATA_DIR=FOLDER        with CIFAR-10, for the speedrun
set -u
export BUILD=${1:?gpu_first.sh BUILD OUT} OUT=${2:?gpu_first.sh BUILD OUT}
tests=$BUILD/tests rate=$BUILD/tests/bench/train_rate last=$((SECONDS + ${3:-240}))
mkdir -p "$OUT" || exit 2
"$tests/test_cuda_gpu" cuda.two_at_once >"$OUT/asked" 2>&1
[ $? != 77 ] || { grep -m 1 skipped "$OUT/asked"; exit 77; }
say() { printf '[%3d s] %s\n' $SECONDS "$*" | tee -a "$OUT/table"; }
step() { # seconds at most, name, command…
    local most=$1 name=$2 status
    shift 2
    [ $((last - SECONDS)) -ge "$most" ] || most=$((last - SECONDS))
    [ "$most" -gt 5 ] || { say "$name: no time left"; return 1; }
    timeout --kill-after=5 "$most" "$@" >"$OUT/$name" 2>&1 </dev/null
    status=$?
    [ $status = 0 ] || say "$name: exit $status: $(grep -v '^ *$' "$OUT/$name" | tail -n 1)"
    return $status
}
say "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -n 1)"
printf '0.3\n0.5\n0.5\n0.5\n' >"$OUT/seconds" # the first warms up
images() { awk '/^[0-9]+ [0-9.]+ / { printf "%.0f ", $1 / $2 }' "$OUT/$1"; }
ours() { # name, options…
    step 40 "$1" "$rate" --device cuda --from "$OUT/seconds" "${@:2}" &&
        say "$1: $(images "$1")images/s $(grep -o 'convolutions by.*' "$OUT/$1" | head -n 1)"
}
peer() { # network, setting, batch
    # shellcheck disable=SC2016 # the inner shell expands it
    [ -n "${PYTHON_TORCH-}" ] && step 70 "torch.$1.$3" bash -c '"$@" <"$OUT/seconds"' _ \
        "$PYTHON_TORCH" tests/bench/torch_rate.py "$1" 1 "$2" "$3" &&
        say "torch.$1.$3, $2: $(images "torch.$1.$3")images/s"
}
case_of() { # program, case
    timeout 60 "$BUILD/tests/$1" "$2" >"$OUT/$1.$2" 2>&1 </dev/null
    case $? in 0) echo passed ;; 77) echo skipped ;; *) echo "failed $1 $2" ;; esac
}
export -f case_of
ours resnet8.bf16.1024 --precision bf16 --batch 1024 || exit 1
for test in test_cuda_gpu test_conv test_layers test_batchnorm test_vectors test_optim \
    test_model_gradient; do
    "$tests/$test" --list | awk -v t=$test '$1 ~ /^cuda\./ && $2 == 0 { print t, $1 }'
done | timeout 60 xargs -P "$(nproc)" -L 1 bash -c 'case_of "$@"' _ >"$OUT/cases" ||
    echo "failed to end within 60 s" >>"$OUT/cases"
say "cases: $(cut -d ' ' -f 1 "$OUT/cases" | sort | uniq -c | xargs)"
grep failed "$OUT/cases" | while read -r line; do say "    $line"; done
step 90 nccl tests/e2e/nccl_one_gpu.sh &&
    say "NCCL, 2 and 4 ranks: $(grep -c 'exit 0' "$OUT/nccl") of 6"
ours resnet8.bf16.128 --precision bf16 --batch 128
ours resnet20.bf16.1024 --model resnet20 --precision bf16 --batch 1024
LABS_CONV=cudnn ours resnet20.cudnn --model resnet20 --precision bf16 --batch 1024
ours airbench-64.fp16 --model airbench-64 --precision fp16 --batch 2000
[ -z "${DATA_DIR-}" ] || { step 60 speedrun "$BUILD/sol/lab3_scale/9_speedrun" --device cuda \
    --data cifar10 --full --no-compare --runs 10 --precision fp16 --out "$OUT/out" &&
    say "$(grep '^the recipe' "$OUT/speedrun")"; }
peer resnet8 cuda-bf16-compiled 1024
peer resnet20 cuda-bf16-compiled 1024
peer resnet8 cuda-bf16-compiled 128
! grep -q failed "$OUT/cases"
