#!/usr/bin/env bash
# seconds: 600
# ranks: 0
# sanitizers: no
# The numbered questions of labs 1 and 2: the handout asks each of them; lab 2's key agrees with the
# formulas, computed here again; usual mistakes are named; hostile files cost no more than their
# lines. (The key and the students' file: lab_checks.sh.)
set -eu
. tests/e2e/_work.sh
answers() { # file, status expected, how many are right
    local status=0
    "$check" "$1" >"$work/log" 2>&1 || status=$?
    [ $status = "$2" ] && [ "$(grep -c '^PASS ' "$work/log")" = "$3" ]
}
mistakes() { # lab, its questions; lines "name | what is written | words"
    local name written words
    check=$BUILD/sol/$1/check/99_answers key=$1/solution/answers.txt
    while IFS='|' read -r name written words; do
        name=${name% } written=${written# } written=${written% } words=${words# }
        sed "s~^$name = [^#]*~$name = $written ~" "$key" >"$work/wrong"
        answers "$work/wrong" 1 $(($2 - 1)) || fail "$name = $written"
        grep "^FAIL  $name " "$work/log" | grep -qF -- "$words" ||
            fail "$name = $written: expected '$words'"
        echo "ok: $name: $(sed -n 's/^FAIL.*found: //p' "$work/log")"
    done
}

sed -nE 's/^([0-9])_([0-9])_.*/\1.\2/p' lab1_gd/exercises/answers.txt >"$work/asked"
sed -nE 's/^\*\*([0-9]\.[0-9])\*\* .*/\1/p' lab1_gd/HANDOUT.md >"$work/log"
cmp -s "$work/asked" "$work/log" || fail "the handout's questions are not those of answers.txt"
mistakes lab1_gd 22 <<'END'
1_1_largest_stable_rate | 2.045 | the steep axis limits the rate
1_2_updates_to_halve | 0.807 | that is the steep axis
1_2_updates_to_halve | 7.09 | for a steady decay
1_2_updates_to_halve | 3.37 | halves the loss
1_3_best_rate | 0.346 | that is the largest stable rate
2_1_rate_for_floor | 0.00105 | it grows with η
2_1_rate_for_floor | 0.002 | a lower floor needs a smaller
2_2_overshoots_from_x | 2.454 | adds 1 to x²
2_2_overshoots_from_x | 8.97 | is not within 5 %
2_2_overshoots_from_x | 3.32 | the 2 of 2·η is missing
2_3_updates_for_one | 1 | full-batch
3_1_updates_per_epoch | 32 | that is the batch size
3_2_length_of_short_update | 1 | divided by 32 in place of 4
3_1_updates_per_epoch | 3 | the short batch makes an update, too
3_3_factor_without_replacement | 0.745 | that is its root
3_3_factor_without_replacement | 0.5 | N − 1, not N
4_1_half_speed_batch | 0.125 | that is c/t0
4_2_images_per_second | 2000 | the fixed cost
6_1_a | 3 | solve both equations
6_2_rate_without_momentum | 0.1 | momentum adds up
6_3_visible_fraction | 0.00436 | a plane has two directions
7_1_times_more_data | 1.24 | take the root
7_2_days | 34.7 | in hours
8_1_seconds_busy | 9 | overlap
9_1_idle_fraction | 0.75 | that is one micro-batch
9_2_micro_batches | 30 | that is all turns
END

# What stands in a file of answers costs its own line; a missing file none but its own points.
tr '\n' '\r' <"$key" | sed '1s/^/\xef\xbb\xbf/' >"$work/classic"
answers "$work/classic" 0 22 || fail "a byte order mark, and lines that end in CR"
sed 's/^1_1_largest/1_1_lagest/' "$key" >"$work/wrong"
answers "$work/wrong" 1 21 &&
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

mistakes lab2_ddp 12 <<'END'
gradient_bytes | 1863690 | a quarter of the answer: an element of FP32 has 4 bytes
gradient_bytes | 59638080 | bits, where bytes are asked for?
gradient_bytes | 7.45 | a millionth of the answer: look at the unit
gradient_bytes | 7.45 MB | expected a decimal number above 0, such as 1500 or 1.5e3, in bytes
ring_sent_bytes | 16e6 | 2 (P-1)/P vectors, not 2
ring_sent_bytes | 6e6 | the sums go around, too
ring_sent_bytes | 48e6 | what all ranks send together
ring_seconds | 0.0648 | a ring has 2 (P-1) steps, not 2P
ring_seconds | 0.02835 | P-1 steps to add up
ring_seconds | 0.4487 | a chunk of 1/P, not the whole vector
ring_seconds | 0,0567 | "0,0567": expected a decimal number
crossing_bytes | 13750 | a quarter of the answer
crossing_bytes | 68750 | the ring sends 1.75 vectors
efficiency | 0.6356 | that is the share that waits
efficiency | 2.915 | that is the speed-up
efficiency | 36.4 | a share is 0
efficiency | 36 % | "36 %": expected a decimal number
break_even_Mbit | 218.5 | in megabytes per second
break_even_Mbit | 1998 | vectors go through a card, not 2
overlapped_ms | 164.7 | that is without overlap
overlapped_ms | 73.35 | each bucket waits for the one before
top_k_bytes | 74548 | an index goes with each value
zero_1_GB | 16 | plain data parallelism
zero_1_GB | 2 | that is stage 3
zero_1_GB | 3.75 | that is stage 2
accumulated_efficiency | 0.3644 | once per update
staleness | 8 | the P-1 others
diloco_seconds | 560 | it is shared by 500 updates
diloco_seconds | 1.28 | 2 (P-1)/P vectors
diloco_seconds | 6 | not within 5 %
END

# The key, from the formulas.
LC_ALL=C awk 'BEGIN {
    a = 5e-5; b = 8e-9; P = 8; n = 4 * (784 * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * 10 + 10)
    both = 2 * (P - 1) / P; flat = 6 * a + both * n * b; one = 6 * a + both * n / 8 * b
    late = 0.04 + one; busy = 0.04 / 8 + 8 * one
    print "gradient_bytes = " n
    print "ring_sent_bytes = " 2 * 3 / 4 * 8e6
    print "ring_seconds = " 2 * (P - 1) * (a + 4e6 / P * b)
    print "crossing_bytes = " (14 - 3) * a / ((3 - both) * b)
    print "efficiency = " 0.06 / (0.06 + flat)
    print "break_even_Mbit = " both * n * 8 / (0.06 - 6 * a) / 1e6
    print "overlapped_ms = " 1e3 * (0.02 + (late > busy ? late : busy))
    print "top_k_bytes = " n / 4 / 100 * 8
    print "zero_1_GB = " 2 + 2 + 12 / P
    print "accumulated_efficiency = " 16 * 0.06 / (16 * 0.06 + flat)
    print "staleness = " P - 1
    print "diloco_seconds = " both * 4e9 * 8 / 1e8 / 500
}' >"$work/formulas"
answers "$work/formulas" 0 12 || fail "the formulas"

refused() { # words; the file comes in
    cat >"$work/bad"
    answers "$work/bad" 2 0 && [ "$(wc -l <"$work/log")" = 1 ] && grep -qF -- "$1" "$work/log" ||
        fail "expected '$1', status 2"
    echo "ok: $(cat "$work/log")"
}
printf 'staleness = 7\0\n' | refused 'zero byte'
head -c 70000 /dev/zero | tr '\0' '#' | refused 'bytes'

ignored() { # words; a line comes in, beside the key
    { cat; cat "$key"; } >"$work/bad"
    answers "$work/bad" 1 12 && [ "$(grep -c '^note: .*, line 1 is ignored: ' "$work/log")" = 1 ] &&
        grep '^note: ' "$work/log" | grep -F -- "$1" ||
        fail "expected '$1' about one line, and 12 points"
}
ignored 'the questions are gradient_bytes, ring_sent_bytes, ' <<<'stalness = 3'
ignored 'there is no question "speed"' <<<'speed = 3'
ignored "no '='" <<<'staleness 7'
