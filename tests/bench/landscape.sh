#!/usr/bin/env bash
# landscape.sh BUILD PYTHON [TURNS]: the speed of lab 1's loss landscape: ResNet-8 (briefly
# trained), 2,048 Fashion-MNIST images per point, running statistics: one thread, two ranks, two
# independent processes at once (each pinned to its core), PyTorch on one and two threads; in turn,
# TURNS times (5). Prints points per second, medians with lowest and highest, and the ratios within
# each turn.
set -eu
export LC_ALL=C
build=$1 python=$2 turns=${3:-5} points=81
program=$build/sol/lab1_gd/5_loss_landscape launch=common/setup/launch.sh
out=$build/out/bench-landscape
export HEADLESS=1 OMP_WAIT_POLICY=passive
# Lets PyTorch keep large blocks, which glibc's malloc would return to the system.
export MALLOC_MMAP_THRESHOLD_=4294967296 MALLOC_TRIM_THRESHOLD_=17179869184
export MALLOC_TOP_PAD_=268435456
exec 2> >(grep -v "^no window" >&2 || true)
mkdir -p "$out"; rm -f "$out"/*.rate
only=(--no-lines --no-path --no-eigenvalues)
"$launch" --np 1 "$program" --data fashion --points 3 --images 64 "${only[@]}" \
    --out "$out/train" >/dev/null
checkpoint=$out/train/lab1_loss_landscape/resnet8.safetensors
land() { # name, prefix of the command…: prints points per second
    local name=$1; shift
    rm -rf "$out/run-$name"
    "$@" "$program" --checkpoint "$checkpoint" --data fashion --points 9 --images 2048 \
        --norm running "${only[@]}" --threads 1 --out "$out/run-$name" |
        sed -nE "s/^plane of .*measured now\), ([0-9.]+) s:.*/\1/p" |
        awk "{ print $points / \$1 }"
}
torch() { # threads
    "$python" tests/bench/torch_landscape.py "$checkpoint" resnet8 "$1" 40 2048 256 |
        awk '{ if ($1 == "skipped:") exit 1; print $1 / $2 }'
}
for turn in $(seq "$turns"); do
    land one "$launch" --np 1 >>"$out/one.rate"
    land two "$launch" --np 2 >>"$out/two.rate"
    land left taskset -c 0 >"$out/left" & left=$! # waited for by id: the filter above never ends
    land right taskset -c 1 >"$out/right"; wait $left
    paste "$out/left" "$out/right" | awk '{ print $1 + $2 }' >>"$out/pair.rate"
    for threads in 1 2; do
        torch "$threads" >>"$out/torch$threads.rate" ||
            echo "no PyTorch: PYTHON_TORCH=python names an interpreter with it"
    done
    echo "turn $turn of $turns"
done
median() {
    sort -g | awk '{ v[NR] = $1 }
        END { printf "%.3f (%.3f to %.3f)\n",
                  (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2, v[1], v[NR] }'
}
echo "points per second, 2,048 images each: median (lowest to highest) of $turns turns"
for name in one two pair torch1 torch2; do
    [ ! -s "$out/$name.rate" ] || printf '%-8s %s\n' "$name" "$(median <"$out/$name.rate")"
done
ratio() { # title, names of the two
    [ -s "$out/$3.rate" ] || return 0
    printf '%s: ' "$1"
    paste "$out/$2.rate" "$out/$3.rate" | awk '{ print $1 / $2 }' | median
}
ratio "two ranks / two independent processes" two pair
ratio "one thread / PyTorch, one thread" one torch1
ratio "two ranks / PyTorch, two threads" two torch2
