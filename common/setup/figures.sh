#!/usr/bin/env bash
# figures.sh BUILD OUT: redraw the figures of the README and the handouts into docs/; takes minutes.
set -eu
b=$1 out=$2 launch=common/setup/launch.sh
export HEADLESS=1
lab1() { # ranks, program, its results folder, its figure, name in docs/, options…
    local ranks=$1 program=$2 folder=$3 figure=$4 name=$5
    shift 5
    $launch --np "$ranks" "$b/sol/lab1_gd/$program" --out "$out" "$@"
    cp "$out/$folder/$figure" "docs/$name"
}
mkdir -p docs
lab1 1 1_gradient_descent lab1_gradient_descent descent.png lab1.png --rate 0.33
lab1 1 2_stochastic_gradient_descent lab1_sgd sgd.png lab1_sgd.png
lab1 1 3_minibatches lab1_minibatches minibatches.png lab1_minibatches.png
lab1 1 4_batch_size lab1_batch_size batch_size.png lab1_batch_size.png
lab1 1 5_loss_landscape lab1_loss_landscape landscape.png lab1_landscape.png \
    --recorded lab1_gd/recorded/resnet56
lab1 1 6_live_surface lab1_live_surface live.png lab1_live_surface.png
lab1 1 6_live_surface lab1_live_surface show.png lab1_show.png --show --updates 250
lab1 1 7_scaling_laws lab1_scaling_laws scaling_laws.png lab1_scaling_laws.png
lab1 2 8_fifteen_steps lab1_fifteen_steps fifteen_steps.png lab1_fifteen_steps.png
lab1 4 9_three_parallelisms lab1_three_parallelisms three_parallelisms.png \
    lab1_three_parallelisms.png

$launch --np 32 "$b/sol/lab2_ddp/2_all_reduce" --out "$out"
cp "$out/lab2_all_reduce/steps.png" docs/lab2_all_reduce.png
cp "$out/lab2_all_reduce/map.png" docs/lab2_all_reduce_map.png
$launch --np 2 "$b/sol/lab2_ddp/3_train" --epochs 1 --images 6000 --trace --out "$out"
cp "$out/lab2_train/timeline.png" docs/lab2.png
$launch --np 2 "$b/sol/lab2_ddp/4_overlap" --out "$out"
cp "$out/lab2_overlap/overlap.png" docs/lab2_overlap.png
$launch --np 2 "$b/sol/lab2_ddp/5_partition" --out "$out"
cp "$out/lab2_partition/partition.png" docs/lab2_partition.png
$launch --np 8 "$b/sol/lab2_ddp/10_shard" --out "$out"
cp "$out/lab2_shard/shard.png" docs/lab2_shard.png
$launch --np 2 "$b/sol/lab2_ddp/7_compression" --out "$out"
cp "$out/lab2_compression/compression.png" docs/lab2_compression.png
$launch --np 4 "$b/sol/lab2_ddp/8_local" --out "$out"
cp "$out/lab2_local/local.png" docs/lab2_local.png
$launch --np 5 "$b/sol/lab2_ddp/9_asynchrony" --out "$out"
cp "$out/lab2_asynchrony/asynchrony.png" docs/lab2_asynchrony.png
$launch --np 32 "$b/sol/lab2_ddp/6_network" --out "$out"
cp "$out/lab2_network/network.png" docs/lab2_network.png
"$b/sol/lab2_ddp/11_what_if" --out "$out"
cp "$out/lab2_what_if/what_if.png" docs/lab2_what_if.png
"$b/sol/lab3_scale/1_batch_size" --data fashion --out "$out" \
    --recorded lab3_scale/recorded/batch_size_fashion_mlp
cp "$out/lab3_batch_size/batch_size.png" docs/lab3.png
"$b/sol/lab3_scale/7_contest" --data fashion --full --out "$out" \
    --recorded lab3_scale/recorded/contest_fashion
cp "$out/lab3_contest/contest.png" docs/lab3_contest.png
"$b/sol/lab3_scale/9_speedrun" --data fashion --width 8 --images 2048 --batch 256 --test 2000 \
    --runs 5 --ablate --no-compare --threads 1 --processor-time --out "$out"
cp "$out/lab3_speedrun/speedrun.png" docs/lab3_speedrun.png
"$b/assessment/grader/grade" --submission assessment/solution/train.c \
    --trust --out "$out/grade"
cp "$out/grade/grade.png" docs/assessment.png
"$b/tests/bench/bench" --programs "$b/tests/bench" --python false --rounds 1 --no-ranks \
    --out "$out/bench"
cp "$out/bench/roofline.png" docs/roofline.png
