#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# Lab 3, part 5: two ranks find what one finds; batches that grow make as many updates as their pace
# says; the stub names its exercise; bad options.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --model linear --images 1024 --test 100 --epochs 3 --seeds 1 --batch 8"
small+=" --k 25 --longer 2"
noise() { # variant, folder, ranks, options…
    local variant=$1 out=$2 ranks=$3; shift 3
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$BUILD/$variant/lab3_scale/5_noise_and_time" \
        --out "$work/$out" $small "$@" >"$work/log" 2>&1
}
noise sol one 1 || fail "on one rank"
noise sol two 2 || fail "on two ranks"
metrics=$work/one/lab3_noise_and_time/metrics.csv
cmp "$metrics" "$work/two/lab3_noise_and_time/metrics.csv" || fail "two ranks find something else"
# 1,024 images: an epoch has 128 batches of 8, 25 of 40, 5 of 200.
updates() { awk -F, -v r="$1" '$1 == r { print $3 }' "$metrics"; }
[ "$(updates 'small batch')" = 384 ] && [ "$(updates 'large batch')" = 15 ] &&
    [ "$(updates longer)" = 30 ] && [ "$(updates 'batch growth')" = $((128 + 25 + 5)) ] ||
    fail "the updates: $(cat "$metrics")"
[ -s "$work/one/lab3_noise_and_time/remedies.png" ] || fail "no figure"
status=0; noise student todo 1 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab3_scale/exercises/3a_scaled_rate.c, line [0-9]+' "$work/log" ||
    fail "the stub is not named"
noise sol bad 1 --k 200 && fail "a batch larger than the images is taken"
grep -q '^error: --images=1024: the large batch' "$work/log" || fail "no reason"
