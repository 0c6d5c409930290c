#!/usr/bin/env bash
# demo.sh BUILD: the guided tour, with the reference solutions: every lab's main program, a short
# data-parallel training on real data, a graded submission. 'make demo' has built everything. Under
# five minutes on two cores; figures are saved as files, so no display is needed.
set -u
cd "$(dirname "$0")/../.." || exit 2
b=$1; out=build/out; launch=common/setup/launch.sh; began=$SECONDS
export HEADLESS=1
export LABS_PARENT=${LABS_PARENT:-$$} # what this starts ends with it
common/setup/guard.sh watch $$
failed=0
mkdir -p $out; mark=$(date +%s) # older than the results

station() { # title, command…
    local title=$1 status; shift
    printf '\n\033[1m== %s\033[0m\n   %s\n' "$title" "$*"
    "$@"; status=$?
    [ $status = 0 ] || { echo "this station failed (exit $status)"; failed=$((failed + 1)); }
}

# A slow or busy machine learns less in a minute: fewer points are a result, not a failed tour.
grade() { "$b/assessment/grader/grade" "$@" || [ $? = 1 ]; }

lab1() { # ranks, title, program, options…
    local ranks=$1 title=$2 program=$3; shift 3
    station "Lab 1: $title" $launch --np "$ranks" "$b/sol/lab1_gd/$program" --out $out "$@"
}

lab1 1 "gradient descent on a loss surface" 1_gradient_descent
lab1 1 "one example at a time, and its noise floor" 2_stochastic_gradient_descent
lab1 1 "batch sizes racing" 3_minibatches
lab1 1 "the loss around ResNet-56 with and without skip connections, measured before" \
    5_loss_landscape --recorded lab1_gd/recorded/resnet56
lab1 2 "the loss around a trained ResNet-8" 5_loss_landscape --points 17 --no-path
lab1 1 "training, live on its surface" 6_live_surface
lab1 1 "a use of the power law: the cost of a fleet of cars" 7_scaling_laws --cost
lab1 2 "one training step is fifteen" 8_fifteen_steps
lab1 4 "data, pipeline and tensor parallelism" 9_three_parallelisms
station "Lab 1: the self-check of its exercises" common/setup/check.sh "$b"/sol/lab1_gd/check/*
station "Lab 2: one ResNet-8, two ranks, one epoch of real data" \
    $launch --np 2 "$b/sol/lab2_ddp/3_train" --out $out --epochs 1 --trace
station "Lab 3: batch size against speed and steps to a target" \
    $launch --np 1 "$b/sol/lab3_scale/1_batch_size" --out $out \
    --smallest 32 --largest 1024 --seeds 2 --train 10000 --target 0.78
station "Assessment: a submission, trained for a minute and graded" \
    grade --submission assessment/solution/train.c \
    --np 2 --data synthetic --budget 60 --trust

printf '\n\033[1mThe tour took %d s. Its results:\033[0m\n' $((SECONDS - began))
find $out -maxdepth 2 -newermt "@$mark" -type f ! -name config.json ! -name .lock \
    ! -name '*.directions.*' |
    sort | sed 's/^/   /'
echo "Timelines (trace.json) open in ui.perfetto.dev. In windows: make lab1 SOL=1." \
    "Your turn: make lab1, and lab1_gd/HANDOUT.md."
[ $failed = 0 ] || { echo "$failed stations failed: see above"; exit 1; }
