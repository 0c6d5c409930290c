#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# Lab 3, part 3: two ranks find what one finds; the covariance follows the rules; the stub names its
# exercise; bad options.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --model linear --images 2048 --test 100 --epochs 1 --seeds 1 --batch 8"
small+=" --starts 1 --start-model linear --start-images 64 --start-epochs 2"
rate() { # variant, folder, ranks, options…
    local variant=$1 out=$2 ranks=$3; shift 3
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$BUILD/$variant/lab3_scale/3_learning_rate" \
        --out "$work/$out" $small "$@" >"$work/log" 2>&1
}
rate sol one 1 || fail "on one rank"
rate sol two 2 || fail "on two ranks"
metrics=$work/one/lab3_learning_rate/metrics.csv
cmp "$metrics" "$work/two/lab3_learning_rate/metrics.csv" || fail "two ranks find something else"
# 1/k, 1 and k, up to what 32 batches can tell.
awk -F, '$1 == "covariance" && $2 == 16 { rows++; expected = rows == 1 ? 1 / 16 : rows == 2 ? 1 : 16
        if ($5 < 0.6 * expected || $5 > 1.6 * expected) bad = 1 }
    END { exit bad || rows != 3 }' "$metrics" || fail "the covariance: $(cat "$metrics")"
[ "$(grep -c '^start' "$metrics")" = 2 ] || fail "expected two starts: $(cat "$metrics")"
[ -s "$work/one/lab3_learning_rate/learning_rate.png" ] || fail "no figure"
status=0; rate student todo 1 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab3_scale/exercises/3a_scaled_rate.c, line [0-9]+' "$work/log" ||
    fail "the stub is not named"
rate sol bad 1 --batch 512 && fail "a batch larger than the images is taken"
grep -q '^error: --images=2048: the largest batch has 8192' "$work/log" || fail "no reason"
