#!/usr/bin/env bash
# record.sh PROGRAMS [ONLY [DRAW]]: the expected results, into LAB/recorded/NAME/: the report,
# metrics.csv; of lab 1's part 5 the surfaces; of lab 3's parts 1 and 7 every training (tries.csv,
# sweep.csv).
#
# ONLY: those with this in their name. What is recorded is not run again: remove its folder for
# that; speed.csv alone to measure the speeds of lab 3's part 1 again, without training. What was
# interrupted goes on, in those two parts where it stopped. DRAW=1 trains nothing: it draws what is
# recorded of them once more, into build/record/. CIFAR-10 must be there (make datasets), or its
# parts are left out, and named.
set -u
cd "$(dirname "$0")/../.." || exit 2
programs=$1 only=${2-} draw=${3-}
work=${programs%%/*}/record
export HEADLESS=1

# name | ranks | program | options
experiments() {
    cat <<END
resnet56|2|lab1_gd/5_loss_landscape|--full --data cifar10 --no-path
compression_fashion|2|lab2_ddp/7_compression|--data fashion
local_fashion|4|lab2_ddp/8_local|--data fashion
asynchrony_fashion|5|lab2_ddp/9_asynchrony|--data fashion
shard|8|lab2_ddp/10_shard|
what_if|1|lab2_ddp/11_what_if|
compression_cifar10|2|lab2_ddp/7_compression|--data cifar10 --updates 400
batch_size_fashion_mlp|2|lab3_scale/1_batch_size|--data fashion
gap_fashion|2|lab3_scale/2_gap|--data fashion
contest_fashion|2|lab3_scale/7_contest|--data fashion --full
learning_rate_fashion|2|lab3_scale/3_learning_rate|--data fashion
noise_and_time_fashion|2|lab3_scale/5_noise_and_time|--data fashion --seeds 5
batch_norm_fashion|2|lab3_scale/4_batch_norm|--data fashion
optimisers_fashion|2|lab3_scale/6_optimisers|--data fashion
predict|4|lab3_scale/8_predict|--data fashion
speedrun_fashion|1|lab3_scale/9_speedrun|--data fashion --threads 1 --processor-time
speedrun_ablation|1|lab3_scale/9_speedrun|--data fashion --width 8 --images 2048 --batch 256 \
--test 2000 --runs 5 --ablate --no-compare --threads 1 --processor-time
predict_link|4|lab3_scale/8_predict|--data fashion --clock virtual --link 1Gbit/s,50us
batch_size_fashion_cnn|2|lab3_scale/1_batch_size|--data fashion --model cnn --largest 512
batch_size_cifar10_mlp|2|lab3_scale/1_batch_size|--data cifar10 --target 0.42
contest_cifar10|2|lab3_scale/7_contest|--data cifar10 --full
resnet8_cifar10|2|lab3_scale/1_batch_size|--data cifar10 --model resnet8 --largest 512 --target .45
gap_cifar10|2|lab3_scale/2_gap|--data cifar10
speedrun_cifar10|1|lab3_scale/9_speedrun|--data cifar10 --width 8 --images 4096 --batch 256 \
--test 2000 --threads 1 --processor-time
END
}

# Of what a program printed: no progress, no paths of this machine.
report_of() {
    grep -vE '[0-9] %  [0-9,]+/[0-9,]+ |^results|^no window|build/' "$1" |
        sed -E 's|^(  data .*), from /[^,]*|\1|'
}

one() { # name, ranks, program, options
    local out=$work/$1 folder=${3%%/*}/recorded/$1 dir began=$SECONDS status=0 recorded=()
    if [ -n "$draw" ]; then
        [ -e "$folder/sweep.csv" ] || [ -e "$folder/landscape.json" ] || return 0
        recorded=(--recorded "$folder") out=$work/drawn/$1
    elif [ -e "$folder/sweep.csv" ] && [ ! -e "$folder/speed.csv" ] && [[ $3 == */1_* ]]; then
        recorded=(--recorded "$folder")
    elif [ -e "$folder/report.txt" ]; then
        echo "$1: recorded already"
        return
    fi
    mkdir -p "$out"
    # shellcheck disable=SC2086 # words
    common/setup/launch.sh --np "$2" "$programs/$3" --out "$out" $4 "${recorded[@]}" \
        >"$out/log" 2>&1 || status=$?
    if [ $status != 0 ]; then
        echo "$1: status $status: $(grep -m 1 '^error' "$out/log" || tail -n 1 "$out/log")"
        return $status
    fi
    dir=$(dirname "$out"/*/config.json)
    [ -z "$draw" ] || { echo "$1: drawn: $(echo "$dir"/*.png)"; return; }
    mkdir -p "$folder.new"
    {
        echo "${3#*/} $4 (on $2 ranks)"
        report_of "$out/log"
        if [ ${#recorded[@]} = 0 ]; then echo "wall time of the last start: $((SECONDS - began)) s"
        else grep '^wall time' "$folder/report.txt"; fi
    } >"$folder.new/report.txt"
    for file in metrics tries sweep critical speed; do
        [ ! -s "$dir/$file.csv" ] || cp "$dir/$file.csv" "$folder.new/"
        [ ${#recorded[@]} = 0 ] || [ ! -e "$folder/$file.csv" ] || [ $file = metrics ] ||
            cp "$folder/$file.csv" "$folder.new/"
    done
    [ ! -e "$dir/landscape.json" ] || cp "$dir/landscape.json" "$dir"/*.points.csv "$folder.new/"
    rm -rf "$folder"
    mv "$folder.new" "$folder"
    echo "$1: recorded in $((SECONDS - began)) s"
}

failed=0 any=''
while IFS='|' read -r name ranks program options; do
    [[ $name == *"$only"* ]] || continue
    any=yes
    one "$name" "$ranks" "$program" "$options" </dev/null || failed=1
done < <(experiments)
[ -n "$any" ] || { echo "ONLY=$only: none of: $(experiments | cut -d '|' -f 1 | paste -sd ' ')" >&2
    exit 2; }
exit $failed
