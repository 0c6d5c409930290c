#!/usr/bin/env bash
#
# seconds: 900
# sanitizers: no
# Lab 2, part 7: two ranks train with every remedy, and four with some, and end with the same
# weights; the bytes sent are exact; derived times are about those of the link; the stub;
# bad options; ALL=1: the window's keys.
set -eu
program=$BUILD/sol/lab2_ddp/7_compression
# shellcheck source=tests/e2e/_screen.sh
. tests/e2e/_screen.sh
results=$work/out/lab2_compression
small="--data synthetic --images 512 --test 100 --hidden 32 --batch 4 --updates 5 --seeds 1"
launch() { # ranks, options…
    local ranks=$1
    shift
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$program" --out "$work/out" $small "$@" \
        >"$work/log" 2>&1
}
# The bytes that a rank sends in an update, of n parameters. A bucket has 1,024 elements, and a
# scale of 4 bytes (one bit: two values).
judge() { # rows
    awk -F, -v expected="$1" '
        function up(x) { return x == int(x) ? x : int(x) + 1 }
        function codes(bits, head) {
            whole = int(n / 1024); rest = n - 1024 * whole
            return whole * (head + 128 * bits) + head + up(rest * bits / 8)
        }
        NR == 1 { next }
        { n = $3; rows++; want = 0 }
        $1 ~ /^(none|small)/ { want = 4 * n }
        $1 == "bfloat16" { want = 2 * n }
        $1 ~ /^8 bits/ { want = codes(8, 4) }
        $1 ~ /^4 bits/ { want = codes(4, 4) }
        $1 ~ /^(2 bits|TernGrad)/ { want = codes(2, 4) }
        $1 ~ /^1 bit / { want = codes(1, 8) }
        $1 ~ /^top 0.1 %( . feedback)?$/ { want = 8 * up(n / 1000) }
        $1 ~ /^top 1 %/ { want = 8 * up(n / 100) }
        want && $4 != want { print $1 ": " $4 " bytes, expected " want; bad = 1 }
        END { exit bad || rows != expected }' "$results/metrics.csv"
}

export HEADLESS=1
launch 2 || fail "on two ranks"
judge 17 || fail "bytes: $(cat "$results/metrics.csv")"
expect 'really on +100 Mbit/s: none .* derived'
# At 100 Mbit/s the link is nearly all of an update, even on a busy machine.
awk '/really on +100 Mbit.s: none/ { sub(/.* derived +[0-9.]+: /, "")
    if ($1 > 15 || $1 < -15) exit 1 }' \
    "$work/log" || fail "the derived time is not that of the link"
[ -s "$results/compression.png" ] || fail "no figure"
for only in 'top 1' minimal ${ALL:+factors}; do
    launch 4 --only "$only" || fail "on four ranks: $only"
done
launch 3 --only 'top 1' && fail "a sparse all-reduce on three ranks is taken"
expect 'error: the sparse all-reduce takes 2, 4, 8 … ranks, not 3'
launch 2 --only 'no such' && fail "no such remedy is taken"
expect "error: --only=no such: no remedy's name has this"
launch 2 --link none && fail "--link none is taken"
expect 'error: --link=none: this part needs a link'
launch 1 && fail "one rank is taken"
expect 'error: needs at least 2 ranks: make lab2 ONLY=7_compression NP=2'
program=$BUILD/student/lab2_ddp/7_compression
status=0
launch 2 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
expect 'to do: TODO in lab2_ddp/exercises/7a_round_stochastic.c, line [0-9]+'

[ -n "${ALL-}" ] || exit 0 # its window
unset HEADLESS
program=$BUILD/sol/lab2_ddp/7_compression
rm -f "$results"/window-*.png
launch 2 --only bits &
pid=$!
find_window 'Lab 2'
listens 600 250
trained() { grep -q 'trained  100 %' "$work/log"; }
within 300 trained || fail "the trainings do not end"
settle
press bracketleft; changes "[ (a lower target)"; settle
finish
expect 'pays below'
