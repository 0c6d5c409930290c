#!/usr/bin/env bash
# all: yes
# seconds: 600
# sanitizers: only
# Every program of several ranks, the reference and the students', runs on two ranks and on three,
# whatever number it is meant for: as short as its options allow, and it ends with 0, or with 77 and
# what is still to be written, or with 2 and a line that says on how many ranks it runs. Under the
# sanitizers this finds sizes that were taken from an option instead of the number of ranks; without
# them the labs' own scripts do as much.
set -u
. tests/e2e/_work.sh
export HEADLESS=1 ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # MPI's own, with ranks

few() { # program options…
    local program=$1 run variant ranks status began=$SECONDS
    shift
    for run in {student,sol}/{2,3}; do
        variant=${run%/*} ranks=${run#*/}
        timeout "${FEW_SECONDS:-200}" common/setup/launch.sh --np "$ranks" \
            "$BUILD/$variant/$program" "$@" >"$work/log" 2>&1 </dev/null
        status=$?
        case $variant:$status in
            *:0 | student:77) ;;
            *:2) grep -qE "^(rank 0: )?error: .*$elsewhere" "$work/log" ;;
            *) false ;;
        esac || { echo "$run/$program: status $status"; failed=1
                  tail -n 30 "$work/log" | sed 's/^/    /'; }
    done
    echo "$program: $((SECONDS - began)) s"
}
# Numbers of ranks that an algorithm cannot have.
elsewhere='takes 2, 4, 8 … ranks, not 3$|a server and 2 to 31 workers: make lab2 .* NP=5$'
out="--out $work/out"
. tests/e2e/_small_data.sh
small_data "$work" 1000 100
data="--data cifar10 --data-dir $work"
small="$out $data --threads 1 --images 256 --test 100"
# shellcheck disable=SC2086 # words
{
few lab1_gd/8_fifteen_steps $out --threads 1 --images 64 --batch 4 --steps 16
few lab1_gd/9_three_parallelisms $out --width 16 --batch 12 --updates 1
few lab2_ddp/1_ranks
few lab2_ddp/2_all_reduce $out --link none --largest 4
few lab2_ddp/3_train $out --model mlp --images 120 --test-images 50 --batch 8 \
    --epochs 1
few lab2_ddp/4_overlap $out --model mlp --batch 4 --updates 2
few lab2_ddp/5_partition $small --model linear --epochs 1 --seeds 1 --batch 8
few lab2_ddp/6_network $out --batch 2 --compute 5
few lab2_ddp/7_compression $small --hidden 16 --batch 4 --updates 5 --seeds 1
few lab2_ddp/8_local $small --model linear --batch 4 --updates 8 --seeds 1
few lab2_ddp/9_asynchrony $small --model linear --batch 4 --gradients 40 --seeds 1
few lab2_ddp/10_shard $out --hidden 60,33 --batch 4 --updates 2 --deep resnet8 \
    --deep-batch 4
few lab3_scale/1_batch_size $out $data --model linear --train 600 --test 100 \
    --check-every 200 --smallest 32 --largest 64 --seeds 1 --tries 1 --epochs 1
few lab3_scale/2_gap $small --model linear --epochs 1 --seeds 1 --side 3 --k 4
few lab3_scale/3_learning_rate $small --model linear --epochs 1 --seeds 1 --batch 8 --starts 1 \
    --start-epochs 1 --start-images 32 --start-model linear
few lab3_scale/5_noise_and_time $out --threads 1 --images 1024 --test 100 --model linear \
    --epochs 1 --seeds 1 --batch 32
few lab3_scale/6_optimisers $small --model linear --epochs 2 --seeds 1 --batch 64
few lab3_scale/7_contest $small --model linear --epochs 1 --seeds 1 --batch 8 --tries 1
few lab3_scale/8_predict $out --model linear --devices 64
few lab3_scale/4_batch_norm $small --epochs 0.2 --seeds 1 --batch 32 --large 32
}
exit $failed
