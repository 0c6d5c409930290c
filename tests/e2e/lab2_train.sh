#!/usr/bin/env bash
# Lab 2's trainer from outside: same seed and ranks, same bytes; Ctrl-C stops all ranks with a
# checkpoint that resumes; a run that diverges says so; the program as given trains on one rank and
# says what is still to do.
# seconds: 240
set -u
work=$(mktemp -d)
train=$BUILD/sol/lab2_ddp/3_train
small="--model resnet8 --batch 16 --images 320 --test-images 100 --epochs 1 --seed 3"
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

run diverge 2 $small --schedule constant --warmup 0 --rate 1e6
[ $? = 1 ] || fail "a run that diverges should exit 1" "$work"/diverge.*
[ "$(grep -c 'diverged' "$work/diverge.err")" = 1 ] ||
    fail "a run that diverges should say so once" "$work/diverge.err"

# Ctrl-C at launch.sh reaches every rank. (A script's background jobs ignore SIGINT unless told
# otherwise.)
env --default-signal=INT common/setup/launch.sh --np 2 "$train" --out "$work/stop" $small \
    --epochs 100000 >"$work/stop.log" 2>"$work/stop.err" &
launcher=$!
for _ in $(seq 300); do [ -s "$(checkpoint stop)" ] && break; sleep 0.1; done
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
