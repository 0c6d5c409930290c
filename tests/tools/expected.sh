#!/usr/bin/env bash
# expected.sh BUILD: do the numbers that lab 1's handout expects hold? Runs its commands twice: with
# the kernels of this processor, and with those of an older one, whose vectors are half as wide and
# whose sums therefore go in another order. Then a line per number: what the handout allows, and
# what came. They stand in expected.txt.
#
# ONLY in the environment: the runs with this in their name. Exit status: 0; 1: a number that does
# not hold, a run that failed, or words that the handout does not have; 2: no second build.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
[ $# = 1 ] || { echo "usage: expected.sh BUILD" >&2; exit 2; }
build=$1 handout=lab1_gd/HANDOUT.md only=${ONLY-}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export HEADLESS=1

# name | ranks | program | options
runs() {
    cat <<'END'
descent|1|1_gradient_descent|
sgd|1|2_stochastic_gradient_descent|--rate 0.0013
minibatches|1|3_minibatches|
batch_size|1|4_batch_size|
landscape|1|5_loss_landscape|
compare|2|5_loss_landscape|--compare --points 5
live_32|1|6_live_surface|--updates 900 --seed 1
live_momentum|1|6_live_surface|--updates 900 --seed 1 --rate 0.01 --momentum 0.9
live_fast|1|6_live_surface|--updates 900 --seed 1 --rate 0.3
live_1|1|6_live_surface|--updates 900 --seed 1 --batch 1
live_512|1|6_live_surface|--updates 900 --seed 1 --batch 512 --rate 0.3
scaling|1|7_scaling_laws|
steps|1|8_fifteen_steps|
parallel|4|9_three_parallelisms|
transformer|1|10_transformer|
model_size|2|11_model_size|
END
}

run_all() { # which, its name, its programs
    local name ranks program options began status
    while IFS='|' read -r name ranks program options; do
        [[ $name == *"$only"* ]] || continue
        began=$SECONDS status=0
        # shellcheck disable=SC2086 # words
        common/setup/launch.sh --np "$ranks" "$3/$program" --out "$work/out/$1/$name" $options \
            >"$work/$1.$name" 2>&1 </dev/null || status=$?
        [ $status = 0 ] || { failed=1; tail -n 2 "$work/$1.$name"; }
        printf '%-12s %5d s  %s %s%s\n' "$2" $((SECONDS - began)) "$program" "$options" \
            "$([ "$ranks" = 1 ] || echo " ($ranks ranks)")"
    done < <(runs)
}

failed=0 kernels=1
run_all 1 "as built" "$build/sol/lab1_gd"
if [ "$(uname -m)" = x86_64 ]; then
    older=x86-64-v2 blas=Nehalem kernels=2
    if grep -qw avx512f /proc/cpuinfo; then older=x86-64-v3 blas=Haswell; fi
    mapfile -t programs < <(runs | cut -d '|' -f 3 | sort -u |
        sed "s~^~$build/$older/sol/lab1_gd/~")
    env -u MAKEFLAGS -u MFLAGS -u LABS_BUILD make --no-print-directory BUILD="$build/$older" \
        CFLAGS="-O3 -march=$older -g" HAVE_CUDA= HAVE_NCCL= "${programs[@]}" \
        >"$work/make" 2>&1 || { tail -n 5 "$work/make"; exit 2; }
    export OPENBLAS_CORETYPE=$blas
    run_all 2 "$older" "$build/$older/sol/lab1_gd"
else
    echo "one kernel only: an older one is known of x86-64 alone"
fi

said=$(tr '\n' ' ' <"$handout" | tr -s ' ')
printf '\n'
while IFS='|' read -r name words pattern low high; do
    [[ $name == *"$only"* && $name != '#'* ]] || continue
    [[ $said == *"$words"* ]] || { echo "$handout does not say '$words'"; failed=1; }
    line='' verdict=holds
    for k in $(seq $kernels); do
        value=$(tr '\r' '\n' <"$work/$k.$name" | sed 's/−/-/g' | sed -nE "s~$pattern~\1~p" |
            tail -n 1 | tr -d ,)
        line+=" ${value:-missing}"
        awk -v v="${value:-none}" -v low="$low" -v high="$high" \
            'BEGIN { exit !(v ~ /^[-+0-9.e]+$/ && v + 0 >= low && v + 0 <= high) }' ||
            verdict=FAILS failed=1
    done
    printf '%-6s %-14s %-44s %s to %s:%s\n' "$verdict" "$name" "$words" "$low" "$high" "$line"
done <tests/tools/expected.txt
exit $failed
