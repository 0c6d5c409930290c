#!/usr/bin/env bash
# Options whose product does not fit, and files that lie about how far a training is or what its
# weights are: each is refused in one line, before anything is allocated; and what must stay
# possible stays so.
# seconds: 600
set -u
. tests/e2e/_hostile.sh
export HEADLESS=1

# shellcheck source=tests/e2e/_small_data.sh
. tests/e2e/_small_data.sh
small_data "$scratch" 300 120

run() { # program, options…: one thread
    local program=$1
    shift
    "$BUILD/$program" --data cifar10 --data-dir "$scratch" --out "$scratch/out" --threads 1 "$@"
}
program() { # its path and the options of `run`, as words in `words`
    words=("$BUILD/$1" --data cifar10 --data-dir "$scratch" --out "$scratch/out" --threads 1)
}
each() { # refused or accepted, [its words], program, options…
    local how=("$1") path
    [ "$1" = accepted ] || { how+=("$2"); shift; }
    path=$2
    shift 2
    program "$path"
    "${how[@]}" "${words[@]}" "$@"
}

# ---- a checkpoint in the middle of its second epoch: 300 images, 64 at a time; 37 updates ----
small=(--model linear --batch 8 --seed 9000000000000000)
run sol/lab2_ddp/3_train "${small[@]}" --epochs 3 --steps 40 >"$scratch/.made" 2>&1 ||
    { cat "$scratch/.made"; exit 1; }
good=$scratch/good.safetensors
mv "$scratch/out/lab2_train/checkpoint.safetensors" "$good"
patched() { # old, new: in the header; as long as the old one
    [ ${#1} = ${#2} ] && grep -qaF -- "$1" "$good" || { echo "cannot patch: $1"; exit 1; }
    LC_ALL=C sed "s/$1/$2/" "$good" >"$scratch/bad.safetensors"
}
for trainer in sol student; do
    train=$trainer/lab2_ddp/3_train
    resume=("$train" "${small[@]}" --epochs 3 --resume)
    patched '"position":"24"' '"position":"-4"'
    each refused "position: '-4'" "${resume[@]}" "$scratch/bad.safetensors"
    patched '"epoch":"1"' '"epoch":"5"'
    each refused 'the checkpoint is at epoch 6 of 3: already complete' "${resume[@]}" \
        "$scratch/bad.safetensors"
    each refused 'epoch 2 of 1: already complete; give more --epochs' "$train" "${small[@]}" \
        --epochs 1 --resume "$good"
    each refused 'saved after 24 images of an epoch, and now there are 20' "$train" "${small[@]}" \
        --images 20 --epochs 3 --resume "$good"
    each refused 'was trained with --seed 9000000000000000' "$train" --model linear --batch 8 \
        --epochs 3 --seed 7 --resume "$good"
    each refused 'from the model linear' "$train" --model mlp --epochs 3 --resume "$good"

    each refused 'would have 2.654e+09 parameters' "$train" --model mlp --hidden 50000,50000
    each refused 'expected sizes from 1' "$train" --model mlp --hidden 8,0
    each refused 'expected sizes from 1' "$train" --model mlp --hidden 8,
    each refused 'expected sizes from 1' "$train" --model mlp --hidden 4294967297
    each refused 'at most 7 sizes' "$train" --model mlp --hidden 1,2,3,4,5,6,7,8
    each refused 'hidden does nothing without --model mlp' "$train" --hidden 8
    each refused 'warmup does nothing without --schedule constant' "$train" --warmup 2
    each refused 'skip does nothing without a residual --model' "$train" --model mlp --no-skip
    each refused 'batchnorm does nothing' "$train" --model linear --no-batchnorm
    each refused 'ghost does nothing without --batchnorm' "$train" --ghost 8 --no-batchnorm
    each refused 'drop-by does nothing without --schedule step' "$train" --drop-by 0.5
    each refused 'nesterov does nothing without --momentum' "$train" --nesterov --momentum 0
    each refused 'there are 300 training images' "$train" --batch 301
    each refused 'the data set has 300' "$train" --images 301

    each accepted "${resume[@]}" "$good"
    each accepted "$train" "${small[@]}" --epochs 30 --resume "$good"
    each accepted "$train" "${small[@]}" --epochs 0 --resume "$good"
    each accepted "$train" "${small[@]}" --images 24 --epochs 3 --resume "$good"
    each accepted "$train" --model linear --batch 24 --epochs 2 --resume "$good"
    each accepted "$train" --model linear --batch 300 --epochs 1
    each accepted "$train" --model mlp --hidden 1,2,3,4,5,6,7 --epochs 1 --ghost 1048576
done
NP=2 each accepted sol/lab2_ddp/3_train --model linear --batch 4 --epochs 3 --comm mpi \
    --resume "$good"
NP=2 each refused 'already complete' sol/lab2_ddp/3_train --model linear --epochs 1 --comm mpi \
    --resume "$good"

# ---- the other programs ----
for trainer in sol student; do
    each refused 'there are 300 training images' $trainer/assessment/train --batch 1048576
done
each refused "model 'resnet+8'" sol/assessment/train --model resnet+8
each accepted sol/assessment/train --model linear --batch 300 --epochs 1 --budget 5

land=(sol/lab1_gd/5_loss_landscape --train-images 200 --updates 4 --images 100 --batch 32)
land+=(--no-path --no-lines --no-eigenvalues)
each refused 'at least 2 points' "${land[@]}" --model linear --points 1
each refused 'above the 200 training images' "${land[@]}" --model linear --batch 201
each refused 'lower the batch size' "${land[@]}" --model wrn16-20 --train-images 300 \
    --images 1000000 --measure-batch 65536
each accepted "${land[@]}" --model linear --points 2 --measure-batch 65536

kept=$scratch/out/lab1_loss_landscape/linear
damaged() { # words, how to damage the path of the network that is kept
    cp "$scratch/path" "$kept.path.safetensors"
    "${@:2}"
    each refused "$1" "${land[@]}" --model linear --points 2
}
cp "$kept.path.safetensors" "$scratch/path"
last() { # four bytes, in place of the file's last
    { head -c -4 "$scratch/path"; printf '%b' "$1"; } >"$kept.path.safetensors"
}
header() { LC_ALL=C sed "$1" "$scratch/path" >"$kept.path.safetensors"; }
damaged 'is not finite: remove the file' last '\x00\x00\x80\x7f'
damaged 'does not end at the weights' last '\x00\x00\x80\x3f'
damaged 'not a snapshot' header 's/"update 3":/"update x":/'
damaged 'duplicate object key' header 's/"update 3":/"update 0":/'
damaged 'not a snapshot' header 's/\(update 3":"\)[0-9][.][0-9]/\1nan/'
damaged 'not a snapshot' header 's/\(update 3":"\)[0-9]/\1-/'
cp "$scratch/path" "$kept.path.safetensors"
each accepted "${land[@]}" --model linear --points 2

run sol/lab2_ddp/3_train --model resnet8 --epochs 1 --batch 100 >/dev/null 2>&1
good=$scratch/resnet8.safetensors
mv "$scratch/out/lab2_train/checkpoint.safetensors" "$good"
land=(sol/lab1_gd/5_loss_landscape --images 20 --points 2 --no-path --no-lines --no-eigenvalues)
each accepted "${land[@]}" --checkpoint "$good"
each refused 'leave them out' "${land[@]}" --model mlp --checkpoint "$good"
each refused 'leave them out' "${land[@]}" --no-skip --checkpoint "$good"
patched '"seed":"1","world_size":"1","batch":"100"' '"seed":"1","world_size":"1","batch":""   '
each accepted "${land[@]}" --checkpoint "$scratch/bad.safetensors"
patched 'resnet8 32x32x3 classes=10"' 'resnet8 32x32x3 classes=9" '
each refused 'of 9 classes' "${land[@]}" --checkpoint "$scratch/bad.safetensors"
patched 'resnet8 32x32x3 classes=10","epoch":"1","position":"0"' \
    'resnet8 32x32x3 classes=10 no-skip","epoch":"1","":"0"'
each refused 'resnet8 without skips has no such layer' "${land[@]}" \
    --checkpoint "$scratch/bad.safetensors"
{ head -c -4 "$good"; printf '\x00\x00\x80\x7f'; } >"$scratch/bad.safetensors"
each refused 'is not finite' "${land[@]}" --checkpoint "$scratch/bad.safetensors"

curve=(sol/lab1_gd/7_scaling_laws --model linear --smallest 16 --fit-from 16 --largest 256)
curve+=(--seeds 1 --epochs 0 --test 100)
each accepted "${curve[@]}" --updates 4
sed -i 's/^\([0-9]*,[0-9]*\),[^,]*/\1,0/' "$scratch/out/lab1_scaling_laws/curve.csv"
each refused 'only 0 sizes have a test error above 0' "${curve[@]}" --updates 4
each wrong 'diverged; try a lower --rate' "${curve[@]}" --model mlp --updates 40 --rate 100
each refused 'above the 300 training images' "${curve[@]}" --largest 1000000

each refused 'above the 300 training images' sol/lab1_gd/9_three_parallelisms --batch 65536
each wrong 'diverged; try a lower --rate' sol/lab1_gd/9_three_parallelisms --width 32 --batch 12 \
    --updates 4 --rate 100
each refused 'above the 300 training images' sol/lab1_gd/6_live_surface --batch 512
each refused 'less than one batch' sol/lab1_gd/8_fifteen_steps --images 16 --batch 64
each refused 'may not be above' student/lab3_scale/1_batch_size --largest 65536
hostile_done 80
