#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# Lab 3's sweep: table, CSV and figure; interrupted and resumed, it repeats no run; on three ranks,
# each run takes the same steps; Ctrl-C reaches ranks in the middle of a long run. ALL=1: Lab 1's
# part 4 on two ranks.
set -u
lab=lab3_scale
. tests/e2e/_lab.sh
. tests/e2e/_processes.sh
. tests/e2e/_small_data.sh
small_data "$work" 1000 120
options=(--threads 1 --data cifar10 --data-dir "$work" --model mlp --train 600 --test 100
    --check-every 200 --smallest 32 --largest 128 --factor 2 --target 0.15 --epochs 4 --comm auto
    --rounds 1 --slice 0.01)
sweep() { # folder, ranks, more options
    out=$1 run "$2" student/1_batch_size --tries 0 "${@:3}"; is 0
}
rows() { grep -v '^#' "$1/lab3_batch_size/sweep.csv" | tail -n +2; }
steps() { rows "$1" | cut -d, -f1,2,4; }

sweep "$work/once" 1 --seeds 2
[ "$(rows "$work/once" | wc -l)" = 6 ] || fail "expected 6 runs: $(rows "$work/once")"
figure batch_size
is 0 '^ +128 '; is 0 '^speed: median \(quartiles\) of 1 rounds, '

# Drawn again: nothing is trained, or measured, once more.
once=$work/once/lab3_batch_size
sweep "$work/again" 1 --seeds 2 --recorded "$once"
cmp "$once/metrics.csv" "$work/again/lab3_batch_size/metrics.csv" || fail "recorded: other results"
[ ! -e "$work/again/lab3_batch_size/speed.csv" ] || fail "recorded: measured again"

sweep "$work/twice" 1 --seeds 1
before=$(rows "$work/twice")
printf '128,9' >>"$work/twice/lab3_batch_size/sweep.csv" # killed while it wrote
sweep "$work/twice" 1 --seeds 2
[ "$(rows "$work/twice" | head -n 3)" = "$before" ] || fail "finished runs have changed"
[ "$(steps "$work/twice" | sort)" = "$(steps "$work/once" | sort)" ] ||
    fail "interrupted: $(steps "$work/twice"), at once: $(steps "$work/once")"

sweep "$work/ranks" 3 --seeds 2
[ "$(steps "$work/ranks" | sort)" = "$(steps "$work/once" | sort)" ] ||
    fail "three ranks: $(steps "$work/ranks"), one: $(steps "$work/once")"

# Runs that would take minutes, and all ranks in the middle of one.
env --default-signal=INT common/setup/launch.sh --np 2 "$BUILD/student/lab3_scale/1_batch_size" \
    --out "$work/long" "${options[@]}" --tries 0 --target 1 --epochs 1000 --train 1000 \
    >"$work/long.log" 2>&1 &
pid=$!
within 60 test -s "$work/long/lab3_batch_size/sweep.csv"
kill -INT $pid
wait $pid; status=$?
[ $status = 130 ] || fail "Ctrl-C: exit status $status: $(cat "$work/long.log")"
[ "$(rows "$work/long" | wc -l)" = 0 ] ||
    fail "a run that was cut short is recorded: $(rows "$work/long")"

run 1 student/1_batch_size --smallest 64 --largest 32; is 2
[ -n "${ALL-}" ] || exit 0
lab=lab1_gd
run 2 sol/4_batch_size --seeds 2 --rate 0.02 --fastest 4; is 0
# 1, 2, 4, and the runs' 32, 64, 128
speeds=$(grep '^[0-9]' "$results/speed.csv" | cut -d, -f1 | sort -u | wc -l)
[ "$speeds" = 6 ] || fail "expected 6 speeds: $(cat "$work/log")"
part4=$(grep '^[0-9]' "$results/sweep.csv" | cut -d, -f1-3 | sort)
[ "$part4" = "$(steps "$work/once" | sort)" ] || fail "part 4: $part4, lab 3: $(steps "$work/once")"

lab=lab3_scale
# A language model, to a loss: that of 256 equally likely characters is 5.5.
options=(--data text --model gpt-8-1-1 --train 600 --test 100 --check-every 60 --smallest 4
    --largest 16 --target 5 --seeds 1 --epochs 4 --rounds 1 --slice 0.01)
run 2 sol/1_batch_size --tries 0; is 0 'noise scale and branching: not measured: give at least'
table 'NR > 1 { rows++; if (!($3 > 0 && $8 == 0)) bad = 1 } END { exit bad || rows != 2 }'
run 1 sol/1_batch_size --target 5.6 --data synthetic --model linear; is 2
