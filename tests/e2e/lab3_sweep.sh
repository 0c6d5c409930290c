#!/usr/bin/env bash
# seconds: 120
# sanitizers: no
# Lab 3's sweep: table, CSV and picture; interrupted and gone on with, no run is made twice; two ranks count the same steps as one.
set -u
work=$(mktemp -d)
fail() { echo "$*"; exit 1; }
small="--data synthetic --model mlp --train 600 --test 100 --check-every 200 --smallest 32 --largest 128 --target 0.15 --epochs 4 --comm auto"
sweep() { # folder, ranks, more options
    local out=$1 ranks=$2; shift 2
    # shellcheck disable=SC2086
    HEADLESS=1 common/setup/launch.sh --np "$ranks" "$BUILD/student/lab3_scale/1_batch_size" --out "$out" --threads 1 $small "$@" >"$out.log" 2>&1
}
rows() { grep -v '^#' "$1/lab3_batch_size/sweep.csv" | tail -n +2; }
steps() { rows "$1" | cut -d, -f1,2,4; }

sweep "$work/once" 1 --seeds 2 || fail "$(cat "$work/once.log")"
[ "$(rows "$work/once" | wc -l)" = 6 ] || fail "expected 6 runs: $(rows "$work/once")"
[ -s "$work/once/lab3_batch_size/batch_size.png" ] || fail "no picture: $(cat "$work/once.log")"
grep -qE '^ +128 ' "$work/once.log" || fail "no line for batch 128: $(cat "$work/once.log")"

sweep "$work/twice" 1 --seeds 1 || fail "$(cat "$work/twice.log")"
before=$(rows "$work/twice")
printf '128,9' >>"$work/twice/lab3_batch_size/sweep.csv" # killed while it wrote
sweep "$work/twice" 1 --seeds 2 || fail "$(cat "$work/twice.log")"
[ "$(rows "$work/twice" | head -n 3)" = "$before" ] || fail "runs that were there have changed"
[ "$(steps "$work/twice" | sort)" = "$(steps "$work/once" | sort)" ] || fail "interrupted: $(steps "$work/twice"), at once: $(steps "$work/once")"

sweep "$work/ranks" 2 --seeds 2 || fail "$(cat "$work/ranks.log")"
# Rounding may carry one run over the target a test earlier or later.
[ "$(diff <(steps "$work/ranks") <(steps "$work/once") | grep -c '^<')" -le 1 ] && [ "$(rows "$work/ranks" | wc -l)" = 6 ] || fail "two ranks: $(steps "$work/ranks"), one: $(steps "$work/once")"
steps "$work/once"
HEADLESS=1 "$BUILD/student/lab3_scale/1_batch_size" --smallest 64 --largest 32 >"$work/log" 2>&1; [ $? = 2 ] || fail "smallest above largest: expected exit 2"
