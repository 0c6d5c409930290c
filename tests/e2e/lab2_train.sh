#!/usr/bin/env bash
# Lab 2's trainer from outside: same seed and ranks, same bytes; as many images per update, the same
# training, however they are split over ranks and micro-batches; each rank draws different weights,
# so that a missing broadcast shows; Ctrl-C stops all ranks with a checkpoint that resumes; a run
# that diverges says so; the program as given trains on one rank and says what is still to do.
# seconds: 600
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/e2e/_processes.sh
small="--data synthetic --model resnet8 --batch 16 --images 320 --test-images 100 --epochs 1"
small+=" --seed 3"
fail() { echo "$1"; shift; for log in "$@"; do echo "--- $log"; tail -n 20 "$log"; done; exit 1; }
run() { # name, ranks, options…: output in name.log
    local name=$1 ranks=$2; shift 2
    common/setup/launch.sh --np "$ranks" "$train" --out "$work/$name" "$@" >"$work/$name.log" \
        2>"$work/$name.err"
}
checkpoint() { echo "$work/$1/lab2_train/checkpoint.safetensors"; }

# shellcheck disable=SC2086  # $small is words
{
run one 2 $small || fail "two ranks: exit $?" "$work"/one.*
run two 2 $small --trace || fail "two ranks again: exit $?" "$work"/two.*
cmp "$(checkpoint one)" "$(checkpoint two)" ||
    fail "same seed, same ranks, but the checkpoints differ"
[ "$(grep -c 'test accuracy' "$work/one.log")" = 1 ] ||
    fail "the result is not printed once" "$work/one.log"
for span in load forward backward all-reduce update evaluate; do
    grep -q "\"$span\"" "$work/two/lab2_train/trace.json" || fail "no span '$span' in trace.json"
done
if grep -q '^HAVE_CAIRO := 1' "${BUILD%/san}"/config.mk 2>/dev/null; then
    [ -s "$work/two/lab2_train/timeline.png" ] || fail "no timeline.png"
fi

# 64 images per update, in four ways, without batch norm: the losses agree but for rounding.
equal="--data synthetic --model mlp --hidden 64 --images 640 --test-images 100 --epochs 2"
equal+=" --schedule constant --warmup 0"
losses() { awk -F , 'NR > 1 { print $3, $5 }' "$work/$1/lab2_train/metrics.csv" | xargs; }
run at_once 1 $equal --batch 64 --rate 0.04 || fail "one rank: exit $?" "$work"/at_once.*
run micro 1 $equal --batch 16 --accumulate 4 --rate 0.04 || fail "micro: exit $?" "$work"/micro.*
run split 2 $equal --batch 32 --rate 0.02 || fail "split: exit $?" "$work"/split.*
run both 2 $equal --batch 8 --accumulate 4 --rate 0.02 || fail "both: exit $?" "$work"/both.*
for name in micro split both; do
    echo "$(losses at_once) $(losses $name)" | awk 'NF != 8 { exit 1 }
        { for (i = 1; i <= 4; i++) { d = $i / $(i + 4) - 1
            if (d > 1e-4 || d < -1e-4) exit 1 } }' ||
        fail "at_once and $name differ: $(losses at_once), $(losses $name)"
done
grep -q '64 images per update (32 on each of 2 ranks, in 4 micro-batches), 10 updates' \
    "$work/both.log" || fail "it does not say what an update is" "$work/both.log"

# Stopped at an epoch's last update and resumed: the same rows, the same network. With other options
# it says so; with another seed it does not begin.
run half 2 $equal --batch 32 --rate 0.02 --steps 10 || fail "half: exit $?" "$work"/half.*
run half 2 $equal --batch 32 --rate 0.02 --resume "$(checkpoint half)" ||
    fail "the other half: exit $?" "$work"/half.*
[ "$(losses split)" = "$(losses half)" ] && cmp "$(checkpoint split)" "$(checkpoint half)" ||
    fail "resumed: $(losses half), expected $(losses split)" "$work"/half.*
rows=$(<"$work/half/lab2_train/metrics.csv")
run half 2 $equal --batch 32 --seed 7 --resume "$(checkpoint half)"
[ $? = 2 ] && grep -q 'was trained with --seed 1' "$work/half.err" &&
    [ "$rows" = "$(<"$work/half/lab2_train/metrics.csv")" ] ||
    fail "another seed: expected a refusal that changes nothing" "$work"/half.*
run longer 2 ${equal% --warmup 0} --schedule onecycle --batch 16 --epochs 3 \
    --resume "$(checkpoint half)" ||
    fail "longer: exit $?" "$work"/longer.*
grep -q 'changed: --batch 16, was 32' "$work/longer.log" &&
    grep -q 'changed: --epochs 3, was 2' "$work/longer.log" &&
    grep -q 'changed: --rate 0.1, was 0.02:' "$work/longer.log" &&
    grep -q 'changed: --schedule "onecycle", was "constant"' "$work/longer.log" &&
    [ "$(grep -c 'changed: ' "$work/longer.log")" = 4 ] &&
    [ "$(losses longer | wc -w)" = 6 ] ||
    fail "longer: it does not say what changed" "$work"/longer.*

# Text, the same: two ranks, and one that was stopped and resumed. What makes no sense is refused.
equal="--data text --model gpt-16-1-2 --images 640 --test-images 100 --epochs 2"
equal+=" --schedule constant --warmup 0"
run text 1 $equal --batch 16 --rate 0.1 || fail "text: exit $?" "$work"/text.*
run halves 2 $equal --rate 0.05 --steps 50 || fail "text, two ranks: exit $?" "$work"/halves.*
run halves 2 $equal --rate 0.05 --resume "$(checkpoint halves)" ||
    fail "text, resumed: exit $?" "$work"/halves.*
echo "$(losses text) $(losses halves)" | awk 'NF != 8 || $4 > 3.5 || $4 < 2 { exit 1 }
    { for (i = 1; i <= 4; i++) { d = $i / $(i + 4) - 1; if (i != 3 && d * d > 1e-8) exit 1 } }' ||
    fail "text on one rank: $(losses text), on two: $(losses halves)"
grep -q 'test accuracy 0\.[0-9]* ([0-9]* of 6400)' "$work/text.log" &&
    [ "$(grep -c '^   writes: ' "$work/text.log")" = 2 ] ||
    fail "it does not count characters, or write any" "$work/text.log"
for wrong in "--data text --model mlp" "--model gpt-16-1-2" "--data text --flip"; do
    run wrong 1 $wrong
    [ $? = 2 ] && [ "$(wc -l <"$work/wrong.err")" = 1 ] ||
        fail "$wrong: not refused" "$work"/wrong.*
done

# Two copies that do not know of each other train two networks: the second draws other weights.
common/setup/launch.sh --np 2 "$BUILD/student/lab2_ddp/3_train" --out "$work/copies" $equal \
    >"$work/copies.log" 2>&1 || fail "two copies: exit $?" "$work/copies.log"
[ "$(grep '^ *2/2 ' "$work/copies.log" | awk '{ print $3 }' | sort -u | wc -l)" = 2 ] ||
    fail "two copies should train two networks" "$work/copies.log"

run diverge 2 $small --schedule constant --warmup 0 --rate 1e6
[ $? = 1 ] || fail "a run that diverges should exit 1" "$work"/diverge.*
[ "$(grep -c 'diverged' "$work/diverge.err")" = 1 ] ||
    fail "a run that diverges should say so once" "$work/diverge.err"

# Ctrl-C at launch.sh reaches every rank. (A script's background jobs ignore SIGINT unless told
# otherwise.)
env --default-signal=INT common/setup/launch.sh --np 2 "$train" --out "$work/stop" $small \
    --epochs 100000 >"$work/stop.log" 2>"$work/stop.err" &
launcher=$!
training_runs "$work/stop"
kill -INT $launcher
wait $launcher; status=$?
[ $status = 0 ] || fail "stopped by a signal: exit $status" "$work"/stop.*
step=$(sed -n 's/.*stopped after update \([0-9]*\);.*/\1/p' "$work/stop.log")
[ -n "$step" ] || fail "it does not say where it stopped" "$work"/stop.*
run resumed 2 $small --epochs 100000 --steps $((step + 3)) --resume "$(checkpoint stop)" ||
    fail "it does not resume: exit $?" "$work"/resumed.*
grep -q "stopped after update $((step + 3));" "$work/resumed.log" ||
    fail "it did not resume at update $step" "$work/resumed.log"
run third 3 $small --epochs 100000 --steps $((step + 3)) --resume "$(checkpoint stop)" ||
    fail "it does not resume on three ranks" "$work"/third.*
}

"$BUILD/student/lab2_ddp/3_train" --out "$work/given" --model linear --images 640 \
    --test-images 100 --epochs 1 >"$work/given.log" 2>&1 ||
    fail "the given program: exit $?" "$work/given.log"
grep -q 'still to do in lab2_ddp/3_train.c: steps 1 2 3 4 5 6 7 8 9' "$work/given.log" ||
    fail "it does not say what is still to do" "$work/given.log"
echo "stopped at update $step and resumed, on 2 and on 3 ranks"
