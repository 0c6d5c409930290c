#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# Lab 2's twelve numbers: the key passes, and agrees with the formulas, computed here again; the
# students' file is to do; usual mistakes are named; hostile files end in one line.
set -eu
check=$BUILD/sol/lab2_ddp/check/99_answers
key=lab2_ddp/solution/answers.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; cat "$work/log"; exit 1; }

"$check" >"$work/log" || fail "the key"
[ "$(grep -c '^PASS ' "$work/log")" = 12 ] || fail "not 12 of 12"

# The key, from the formulas.
awk 'BEGIN {
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
"$check" "$work/formulas" >"$work/log" || fail "the formulas"
echo "ok: the key is what the formulas give"

status=0
"$BUILD/student/lab2_ddp/check/99_answers" >"$work/log" || status=$?
[ $status = 77 ] && [ "$(grep -c '^TODO ' "$work/log")" = 12 ] || fail "the students' file"

mistake() { # name, what is written, words
    sed "s|^$1 = .*|$1 = $2|" "$key" >"$work/wrong"
    status=0
    "$check" "$work/wrong" >"$work/log" || status=$?
    [ $status = 1 ] && [ "$(grep -c '^PASS ' "$work/log")" = 11 ] || fail "$1 = $2"
    grep "^FAIL  $1 " "$work/log" | grep -qF -- "$3" || fail "$1 = $2: expected '$3'"
    echo "ok: $1: $(sed -n 's/^FAIL.*found: //p' "$work/log")"
}
mistake gradient_bytes 1863690 'a quarter of the answer: an element of FP32 has 4 bytes'
mistake gradient_bytes 59638080 'bits, where bytes are asked for?'
mistake gradient_bytes 7.45 'a millionth of the answer: look at the unit'
mistake gradient_bytes '7.45 MB' \
    '"7.45 MB": expected a decimal number above 0, such as 1500 or 1.5e3, in bytes'
mistake ring_sent_bytes 16e6 "2 (P-1)/P vectors, not 2"
mistake ring_sent_bytes 6e6 'the sums go around, too'
mistake ring_sent_bytes 48e6 'what all ranks send together'
mistake ring_seconds 0.0648 'a ring has 2 (P-1) steps, not 2P'
mistake ring_seconds 0.02835 'P-1 steps to add up'
mistake ring_seconds 0.4487 'a chunk of 1/P, not the whole vector'
mistake ring_seconds '0,0567' '"0,0567": expected a decimal number'
mistake crossing_bytes 13750 'a quarter of the answer'
mistake crossing_bytes 68750 'the ring sends 1.75 vectors'
mistake efficiency 0.6356 'that is the share that waits'
mistake efficiency 2.915 'that is the speed-up'
mistake efficiency 36.4 'a share is 0'
mistake efficiency '36 %' '"36 %": expected a decimal number'
mistake break_even_Mbit 218.5 'in megabytes per second'
mistake break_even_Mbit 1998 'vectors go through a card, not 2'
mistake overlapped_ms 164.7 'that is without overlap'
mistake overlapped_ms 73.35 'each bucket waits for the one before'
mistake top_k_bytes 74548 'an index goes with each value'
mistake zero_1_GB 16 'plain data parallelism'
mistake zero_1_GB 2 'that is stage 3'
mistake zero_1_GB 3.75 'that is stage 2'
mistake accumulated_efficiency 0.3644 'once per update'
mistake staleness 8 'the P-1 others'
mistake diloco_seconds 560 'it is shared by 500 updates'
mistake diloco_seconds 1.28 '2 (P-1)/P vectors'
mistake diloco_seconds 6 'not within 5 %'

refused() { # words; the file comes in
    cat >"$work/bad"
    status=0
    "$check" "$work/bad" >"$work/log" 2>&1 || status=$?
    [ $status = 2 ] && [ "$(wc -l <"$work/log")" = 1 ] && grep -qF -- "$1" "$work/log" ||
        fail "expected '$1', status 2"
    echo "ok: $(cat "$work/log")"
}
printf 'staleness = 7\0\n' | refused 'zero byte'
head -c 70000 /dev/zero | tr '\0' '#' | refused 'bytes'

ignored() { # words; a line comes in, beside the key
    { cat; cat "$key"; } >"$work/bad"
    status=0
    "$check" "$work/bad" >"$work/log" 2>&1 || status=$?
    [ $status = 1 ] && [ "$(grep -c '^PASS ' "$work/log")" = 12 ] &&
        [ "$(grep -c '^note: .*, line 1 is ignored: ' "$work/log")" = 1 ] &&
        grep '^note: ' "$work/log" | grep -F -- "$1" ||
        fail "expected '$1' about one line, and 12 points"
}
ignored 'the questions are gradient_bytes, ring_sent_bytes, ' <<<'stalness = 3'
ignored 'there is no question "speed"' <<<'speed = 3'
ignored "no '='" <<<'staleness 7'
