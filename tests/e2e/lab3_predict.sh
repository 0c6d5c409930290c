#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# Lab 3, part 8: the reference passes its check; the table has every number of devices and every
# published row, with the errors that the handout explains; ranks on a link are found as slow as
# predicted; the stub; bad options.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; cat "$work/log"; exit 1; }
export HEADLESS=1
program=$BUILD/sol/lab3_scale/8_predict
small="--data synthetic --model linear"

"$BUILD/sol/lab3_scale/check/8a_step_seconds" >"$work/log" || fail "the reference"
# shellcheck disable=SC2086  # $small is words
{
"$program" --out "$work/out" $small >"$work/log" 2>&1 || fail "it does not run"
[ -s "$work/out/lab3_predict/predict.png" ] || fail "no figure"
awk -F, 'NR > 1 { rows[$1]++; if (!($3 > 0 && $4 > 0)) bad = 1 }
    END { exit bad || rows["devices"] != 12 || rows["published 7"] != 1 }' \
    "$work/out/lab3_predict/metrics.csv" || fail "$(cat "$work/out/lab3_predict/metrics.csv")"
[ "$(grep -cE '^(TSM|ResNet-50|BERT).* h .* %' "$work/log")" = 7 ] ||
    fail "not seven published rows"
# On the virtual clock a ring of two finds the link: 1 Gbit/s, 500 us; the exchange is as predicted.
common/setup/launch.sh --np 3 "$program" --out "$work/link" $small --clock virtual \
    --link 1Gbit/s,500us >"$work/log" 2>&1 || fail "it does not run on a link"
awk -F, '$1 == "ring" { rings++; if (($4 / $3 - 1) ^ 2 > 0.2 ^ 2) bad = 1 }
    $1 == "ranks" { ranks++; if ($2 > 1 && ($4 / $3 - 1) ^ 2 > 0.2 ^ 2) bad = 1 }
    END { exit bad || rings != 7 || ranks != 3 }' "$work/link/lab3_predict/metrics.csv" ||
    fail "the link: $(cat "$work/link/lab3_predict/metrics.csv")"
status=0
"$program" --out "$work/out" $small --devices 0 >"$work/log" 2>&1 || status=$?
[ $status = 2 ] || fail "no devices are taken"
status=0
"$BUILD/student/lab3_scale/8_predict" --out "$work/todo" $small >"$work/log" 2>&1 || status=$?
}
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab3_scale/exercises/8a_step_seconds.c, line [0-9]+' "$work/log" ||
    fail "the stub does not name its exercise"
