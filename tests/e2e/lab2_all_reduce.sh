#!/usr/bin/env bash
# Lab 2, part 2: on the virtual clock the reference takes the predicted time on 2 to 8 ranks (ALL=1:
# to 16, and longer vectors), and sends what the algorithm sends; it makes figures and a table. On
# this machine's own clock all sums are right. The stubs name their exercises; what makes no sense
# is refused.
# seconds: 600
# sanitizers: no
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; tail -n 40 "$work/log"; exit 1; }
export HEADLESS=1
metrics=$work/lab2_all_reduce/metrics.csv
start() { # ranks, variant, options…
    local ranks=$1 program=$BUILD/$2/lab2_ddp/2_all_reduce
    shift 2
    timeout 300 common/setup/launch.sh --np "$ranks" "$program" --out "$work" "$@" \
        >"$work/log" 2>&1
}

# A slow link: computing costs little of the time, however busy the machine is.
most=8 largest=16 counts=5 lengths=3 line='14 +0\.029'
[ -z "${ALL-}" ] || most=16 largest=256 counts=7 lengths=5 line='30 +0\.492'
start $most sol --link 100Mbit/s,1ms --largest $largest || fail "$most ranks: status $?"
rows=$((counts * 6 * lengths))
[ "$(wc -l <"$metrics")" = $((1 + rows)) ] || fail "expected $rows rows: $(wc -l <"$metrics")"
awk -F, -v expected=$((rows - counts * lengths)) 'NR == 1 { next }
    $8 != 1 { print "a wrong sum: " $0; bad = 1 }
    $1 == "MPI_Allreduce" { next }
    { even = $2 == 2 || $2 == 4 || $2 == 8 || $2 == 16; ratio = $6 / $7; n++
      if (ratio > 1.05 || (ratio < 0.95 && (even || $1 == "ring" || $1 == "naive"))) {
          print "not as predicted: " $0; bad = 1 } }
    $1 == "ring" && $4 != 2 * ($2 - 1) { print "messages: " $0; bad = 1 }
    $1 == "naive" && $5 != ($2 - 1) * $3 { print "bytes: " $0; bad = 1 }
    $1 == "tree" && ($2 == 8 && $4 != 3 || $2 == 16 && $4 != 4) { print "messages: " $0; bad = 1 }
    END { exit bad || n != expected }' "$metrics" >"$work/bad" ||
    { cat "$work/bad"; fail "see above"; }
for figure in all_reduce steps times map; do
    [ -s "$work/lab2_all_reduce/$figure.png" ] || fail "no $figure.png"
done
grep -qE "^ +$most +$largest KiB +ring +$line +" "$work/log" ||
    fail "no line of the ring in the table"

start 2 sol --link none --largest 16 || fail "this machine: status $?"
grep -q 'clock     real' "$work/log" || fail "without a link the clock is not real"
awk -F, 'NR > 1 && ($8 != 1 || $7 != "nan" || !($6 > 0 && $6 < 10)) { bad = 1; print }
    END { exit bad || NR != 19 }' "$metrics" || fail "this machine"

start 4 student --largest 4; status=$?
[ $status = 77 ] || fail "the stubs: status $status"
for exercise in naive ring doubling halving tree seconds; do
    grep -qE "^to do: TODO in lab2_ddp/exercises/2[a-f]_all_reduce_$exercise.c, line" "$work/log" ||
        fail "the stubs do not name $exercise"
done
refused() { # words, ranks, options…
    local words=$1
    shift
    start "$1" sol "${@:2}"
    local status=$?
    [ $status = 2 ] || fail "$*: status $status, expected 2"
    grep -q -- "$words" "$work/log" || fail "$*: expected '$words'"
}
refused 'one rank has nothing to reduce' 1
refused 'is not a bandwidth' 2 --link 5
refused 'a whole number from 4 to 65536' 2 --largest 1
