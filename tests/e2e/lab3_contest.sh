#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# Lab 3, part 7: two ranks find what one finds; the stub names its exercise; ALL=1: a second start
# trains nothing again; recorded trainings give the same table, and others are refused; bad options.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --model linear --images 128 --test 50 --epochs 2 --seeds 2 --batch 8"
small+=" --k 2 --K 4 --budget 3"
contest() { # variant, folder, ranks, options…
    local variant=$1 out=$2 ranks=$3; shift 3
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$BUILD/$variant/lab3_scale/7_contest" \
        --out "$work/$out" $small "$@" >"$work/log" 2>&1
}
contest sol one 1 || fail "on one rank"
folder=$work/one/lab3_contest metrics=$work/one/lab3_contest/metrics.csv
# The small batch; 18 ways to train two larger ones.
awk -F, 'NR > 1 { n[$1]++; if (!($5 <= $4 && $4 <= $6 && $3 > 0)) bad = 1 }
    END { exit bad || n[1] != 1 || n[2] != 18 || n[4] != 18 }' "$metrics" ||
    fail "the table: $(cat "$metrics")"
# By the rules: the small batch's rate, times the root of 4, times 4.
rate() { awk -F, -v k="$1" -v r="$2" '$1 == k && $2 == r { print $3 }' "$metrics"; }
awk -v s="$(rate 1 'small batch')" -v same="$(rate 4 'same rate')" -v root="$(rate 4 'rate × √k')" \
    -v k="$(rate 4 'rate × k')" 'BEGIN {
        exit !(same == s && (root / s - 2) ^ 2 < 1e-9 && (k / s - 4) ^ 2 < 1e-9) }' ||
    fail "the rules' rates: $(cat "$metrics")"
# 23 are tuned, 3 trainings each; 37 are trained from 2 seeds.
rows() { grep -c '^[0-9]' "$folder/$1"; }
[ "$(rows tries.csv) $(rows sweep.csv)" = "69 74" ] ||
    fail "$(rows tries.csv) tries, $(rows sweep.csv) runs: expected 69, 74"
contest sol two 2 || fail "on two ranks"
cmp "$metrics" "$work/two/lab3_contest/metrics.csv" || fail "two ranks find something else"
status=0; contest student todo 1 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab3_scale/exercises/3a_scaled_rate.c, line [0-9]+' "$work/log" ||
    fail "the stub is not named"
[ -n "${ALL-}" ] || exit 0
cp "$folder/sweep.csv" "$work/before"
contest sol one 1 || fail "once more"
cmp "$folder/sweep.csv" "$work/before" || fail "it trained again"
contest sol drawn 1 --recorded "$folder" || fail "recorded"
cmp "$metrics" "$work/drawn/lab3_contest/metrics.csv" || fail "recorded: another table"
[ -s "$work/drawn/lab3_contest/contest.png" ] || fail "no figure"
contest sol more 1 --recorded "$folder" --seeds 3 && fail "a seed that is not recorded is drawn"
grep -q '^error: .*37 trainings of these choices are not recorded' "$work/log" || fail "no reason"
contest sol bad 1 --K 32 && fail "a batch larger than the images is taken"
grep -q '^error: --images=128: the largest batch' "$work/log" || fail "no reason"
