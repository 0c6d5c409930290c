#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# Lab 3, part 2: two ranks find what one finds; the line's ends are the two solutions; the stub
# names its exercise; bad options.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --model linear --images 256 --test 100 --epochs 1 --seeds 1 --side 3 --k 4"
gap() { # variant, folder, ranks, options…
    local variant=$1 out=$2 ranks=$3; shift 3
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$BUILD/$variant/lab3_scale/2_gap" --out "$work/$out" \
        $small "$@" >"$work/log" 2>&1
}
gap sol one 1 || fail "on one rank"
grep -q "Kendall's tau" "$work/log" || fail "no tau"
gap sol two 2 || fail "on two ranks"
cmp "$work/one/lab3_gap/metrics.csv" "$work/two/lab3_gap/metrics.csv" ||
    fail "two ranks find something else"
[ "$(grep -c '^\(small\|large\)' "$work/one/lab3_gap/metrics.csv")" = 8 ] ||
    fail "expected 8 trainings: $(cat "$work/one/lab3_gap/metrics.csv")"
[ -s "$work/one/lab3_gap/gap.png" ] || fail "no figure"
status=0; gap student todo 1 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab3_scale/exercises/2a_interpolate.c, line [0-9]+' "$work/log" ||
    fail "the stub is not named"
gap sol bad 1 --k 64 && fail "a batch larger than the images is taken"
grep -q '^error: --images=256: the large batch' "$work/log" || fail "no reason"
