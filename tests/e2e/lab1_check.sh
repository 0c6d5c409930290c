#!/usr/bin/env bash
# Lab 1's self-check: every line PASS on the reference, none on the stubs. Its numbered questions:
# the handout asks each of them, and usual mistakes are named.
# seconds: 120
# ranks: 0
# sanitizers: no
set -eu
exercises=35 points=122 # 13 exercises, 22 questions
check=$BUILD/sol/lab1_gd/check/99_answers
key=lab1_gd/solution/answers.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; cat "$work/log"; exit 1; }

common/setup/check.sh "$BUILD"/sol/lab1_gd/check/* >"$work/log" ||
    fail "the reference does not pass"
[ "$(grep -c '^PASS  ' "$work/log")" = $exercises ] &&
    grep "^$points of $points points\$" "$work/log" || fail "expected $exercises PASS"
common/setup/check.sh "$BUILD"/student/lab1_gd/check/* >"$work/log" ||
    fail "the stubs' check should exit 0: nothing is wrong"
grep "^0 of $points points, $exercises to do\$" "$work/log" ||
    fail "the sum does not say how many are to do"
[ "$(grep -c '^TODO  ' "$work/log")" = $exercises ] &&
    ! grep -q '^PASS\|your code is there' "$work/log" || fail "expected $exercises TODO"

# ---- the questions ----
sed -nE 's/^([0-9])_([0-9])_.*/\1.\2/p' lab1_gd/exercises/answers.txt >"$work/asked"
sed -nE 's/^\*\*([0-9]\.[0-9])\*\* .*/\1/p' lab1_gd/HANDOUT.md >"$work/log"
cmp -s "$work/asked" "$work/log" || fail "the handout's questions are not those of answers.txt"
echo "ok: 22 questions"

mistake() { # name, what is written, words
    sed "s|^$1 = [^#]*|$1 = $2 |" "$key" >"$work/wrong"
    status=0
    "$check" "$work/wrong" >"$work/log" || status=$?
    [ $status = 1 ] && [ "$(grep -c '^PASS ' "$work/log")" = 21 ] || fail "$1 = $2"
    grep "^FAIL  $1 " "$work/log" | grep -qF -- "$3" || fail "$1 = $2: expected '$3'"
    echo "ok: $1: $(sed -n 's/^FAIL.*found: //p' "$work/log")"
}
mistake 1_1_largest_stable_rate 2.045 'the steep axis limits the rate'
mistake 1_2_updates_to_halve 0.807 'that is the steep axis'
mistake 1_2_updates_to_halve 7.09 'for a steady decay'
mistake 1_2_updates_to_halve 3.37 'halves the loss'
mistake 1_3_best_rate 0.346 'that is the largest stable rate'
mistake 2_1_rate_for_floor 0.00105 'it grows with η'
mistake 2_1_rate_for_floor 0.002 'a lower floor needs a smaller'
mistake 2_2_overshoots_from_x 2.454 'adds 1 to x²'
mistake 2_2_overshoots_from_x 8.97 'is not within 5 %' # 4 times: no bytes here
mistake 2_2_overshoots_from_x 3.32 'the 2 of 2·η is missing'
mistake 2_3_updates_for_one 1 'full-batch'
mistake 3_1_updates_per_epoch 32 'that is the batch size'
mistake 3_2_length_of_short_update 1 'divided by 32 in place of 4'
mistake 3_1_updates_per_epoch 3 'the short batch makes an update, too'
mistake 3_3_factor_without_replacement 0.745 'that is its root'
mistake 3_3_factor_without_replacement 0.5 'N − 1, not N'
mistake 4_1_half_speed_batch 0.125 'that is c/t0'
mistake 4_2_images_per_second 2000 'the fixed cost'
mistake 6_1_a 3 'solve both equations'
mistake 6_2_rate_without_momentum 0.1 'momentum adds up'
mistake 6_3_visible_fraction 0.00436 'a plane has two directions'
mistake 7_1_times_more_data 1.24 'take the root'
mistake 7_2_days 34.7 'in hours'
mistake 8_1_seconds_busy 9 'overlap'
mistake 9_1_idle_fraction 0.75 'that is one micro-batch'
mistake 9_2_micro_batches 30 'that is all turns'

# What stands in a file of answers costs its own line; a missing file none but its own points.
tr '\n' '\r' <"$key" | sed '1s/^/\xef\xbb\xbf/' >"$work/classic"
"$check" "$work/classic" >"$work/log" || fail "a byte order mark, and lines that end in CR"
sed 's/^1_1_largest/1_1_lagest/' "$key" >"$work/wrong"
status=0
"$check" "$work/wrong" >"$work/log" || status=$?
[ $status = 1 ] && [ "$(grep -c '^PASS ' "$work/log")" = 21 ] &&
    grep '^note: .*, line [0-9]* is ignored: there is no question "1_1_lagest_stable_rate"$' \
        "$work/log" &&
    grep '^note: the questions are 1_1_largest.*, 9_2_micro_batches$' "$work/log" ||
    fail "a misspelt name"
mkdir -p "$work/student/lab1_gd/check" "$work/lab1_gd"
cp "$check" "$work/student/lab1_gd/check/"
status=0
(cd "$work" && student/lab1_gd/check/99_answers) >"$work/log" || status=$?
[ $status = 1 ] && [ "$(grep -c '^TODO ' "$work/log")" = 22 ] &&
    grep '^note: .*missing: .*tar xzf labs.tar.gz labs/lab1_gd/exercises/answers.txt$' \
        "$work/log" ||
    fail "a missing file"
