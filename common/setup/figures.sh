#!/usr/bin/env bash
# figures.sh BUILD OUT [NAME]: redraw the figures of the README and the handouts into docs/, which
# takes minutes; NAME: those with it in their name.
set -eu
b=$1 out=$2 only=${3-} drawn=0
export HEADLESS=1
# draw "NAME=FOLDER/FIGURE…" RANKS PROGRAM [OPTION…]: docs/NAME.png are figures of the program's
# results folder.
draw() {
    local figures=$1 ranks=$2 program=$b/$3 figure wanted=
    shift 3
    for figure in $figures; do [[ ${figure%=*} != *"$only"* ]] || wanted=1; done
    [ -n "$wanted" ] || return 0
    common/setup/launch.sh --np "$ranks" "$program" --out "$out" "$@"
    for figure in $figures; do
        [[ ${figure%=*} != *"$only"* ]] || cp "$out/${figure#*=}.png" "docs/${figure%=*}.png"
    done
    drawn=1
}
mkdir -p docs
lab=sol/lab1_gd
draw lab1=lab1_gradient_descent/descent 1 $lab/1_gradient_descent --rate 0.33
draw lab1_sgd=lab1_sgd/sgd 1 $lab/2_stochastic_gradient_descent
draw lab1_minibatches=lab1_minibatches/minibatches 1 $lab/3_minibatches
draw lab1_batch_size=lab1_batch_size/batch_size 1 $lab/4_batch_size --threads 1
draw lab1_landscape=lab1_loss_landscape/landscape 1 $lab/5_loss_landscape \
    --recorded lab1_gd/recorded/resnet56
draw lab1_live_surface=lab1_live_surface/live 1 $lab/6_live_surface
draw lab1_show=lab1_live_surface/show 1 $lab/6_live_surface --show --updates 250
draw lab1_scaling_laws=lab1_scaling_laws/scaling_laws 1 $lab/7_scaling_laws
draw lab1_fifteen_steps=lab1_fifteen_steps/fifteen_steps 2 $lab/8_fifteen_steps
draw lab1_three_parallelisms=lab1_three_parallelisms/three_parallelisms 4 \
    $lab/9_three_parallelisms
lab=sol/lab2_ddp
draw "lab2_all_reduce=lab2_all_reduce/steps lab2_all_reduce_map=lab2_all_reduce/map" 32 \
    $lab/2_all_reduce
draw lab2=lab2_train/timeline 2 $lab/3_train --epochs 1 --images 6000 --trace
draw lab2_overlap=lab2_overlap/overlap 2 $lab/4_overlap
draw lab2_partition=lab2_partition/partition 2 $lab/5_partition
draw lab2_shard=lab2_shard/shard 8 $lab/10_shard
draw lab2_compression=lab2_compression/compression 2 $lab/7_compression
draw lab2_local=lab2_local/local 4 $lab/8_local
draw lab2_asynchrony=lab2_asynchrony/asynchrony 5 $lab/9_asynchrony
draw lab2_network=lab2_network/network 32 $lab/6_network
draw lab2_what_if=lab2_what_if/what_if 1 $lab/11_what_if
lab=sol/lab3_scale
draw lab3=lab3_batch_size/batch_size 1 $lab/1_batch_size --data fashion \
    --recorded lab3_scale/recorded/batch_size_fashion_mlp
draw lab3_published=lab3_batch_size/batch_size 1 $lab/1_batch_size --data fashion --model cnn \
    --largest 512 --recorded lab3_scale/recorded/batch_size_fashion_cnn
draw lab3_contest=lab3_contest/contest 1 $lab/7_contest --data fashion --full \
    --recorded lab3_scale/recorded/contest_fashion
draw lab3_speedrun=lab3_speedrun/speedrun 1 $lab/9_speedrun --data fashion --width 8 \
    --images 2048 --batch 256 --test 2000 --runs 5 --ablate --no-compare --threads 1 \
    --processor-time
draw assessment=grade 1 assessment/grader/grade --submission assessment/solution/train.c --trust
draw roofline=roofline 1 tests/bench/bench --programs "$b/tests/bench" --python false --rounds 1 \
    --no-ranks
[ $drawn = 1 ] || { echo "no figure has '$only' in its name" >&2; exit 2; }
