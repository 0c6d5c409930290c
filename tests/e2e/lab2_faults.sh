#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# make lab2 KILL=…: a rank is killed or stopped after an update that the seed draws; the run ends,
# what is lost is counted, and the training is completed on one rank less.
set -u
. tests/e2e/_work.sh
train=$BUILD/sol/lab2_ddp/3_train
small=(--data synthetic --model mlp --hidden 16 --images 1920 --test-images 100 --batch 8
    --checkpoint-every 10 --link '10Gbit/s,2ms') # updates slow enough to be counted from outside
fault() { # signal ranks program seed options…
    local signal=$1 ranks=$2 program=$3 seed=$4
    shift 4
    lab2_ddp/parts/3_train/kill.sh "$signal" "$ranks" "$program" "${small[@]}" --seed "$seed" \
        --out "$work/out" "$@" >"$work/log" 2>&1 </dev/null
}
number() { sed -n "s/.*$1.*/\\1/p" "$work/log" | head -n 1; }

judge() { # seed: of the run in the log
    local seed=$1 victim update made saved lost images trained
    victim=$(number '== 3 ranks; rank \([0-2]\) will get SIGKILL after update')
    update=$(number 'will get SIGKILL after update \([0-9]*\)')
    made=$(number '== made: \([0-9]*\) updates')
    saved=$(number 'checkpoint: after update \([0-9]*\)')
    lost=$(number 'lost: \([0-9]*\)')
    grep -q "^error: a rank was killed by signal 9.* rank $victim;" "$work/log" ||
        fail "seed $seed: no line that names rank $victim"
    grep -q 'with status 137; ranks left: 0$' "$work/log" || fail "seed $seed: ranks are left"
    [ "$update" -gt 10 ] && [ "$update" -le 40 ] && [ "$made" -ge "$update" ] ||
        fail "seed $seed: killed after $made updates, announced: $update"
    [ $((saved % 10)) = 0 ] && [ "$saved" -ge 10 ] && [ $((made - saved)) = "$lost" ] &&
        [ "$lost" -le 10 ] || fail "seed $seed: made $made, saved $saved, lost $lost"
    # the images of the epoch that three ranks had used stay used on two
    images=$((2 * 1920 - saved * 24))
    trained=$(number 'training alone: \([0-9]*\) images.* on 2 ranks')
    [ "$trained" -le $images ] && [ "$trained" -gt $((images - 2 * 16)) ] ||
        fail "seed $seed: trained on $trained images more, $images were left"
    echo "seed $seed: rank $victim killed; made $made updates, lost $lost, then $trained images"
    grep '^== 3 ranks' "$work/log" >"$work/plan.$seed"
}
for seed in ${ALL:+1 2}; do
    fault KILL 3 "$train" $seed || fail "seed $seed: status $?"
    judge $seed
    cp "$work/plan.$seed" "$work/direct.$seed"
done
[ -z "${ALL-}" ] || ! cmp -s "$work"/direct.{1,2} || fail "two seeds draw the same fault"
# -o: the program is there; make has nothing to build
make -o "$train" "BUILD=$BUILD" DEPS=no lab2 SOL=1 KILL=1 SEED=2 \
    ARGS="${small[*]} --out $work/out" >"$work/log" 2>&1 || fail "make KILL=1: status $?"
judge 2
[ -z "${ALL-}" ] || cmp "$work/direct.2" "$work/plan.2" || fail "the same seed draws another fault"
command=$(grep '^make lab2 ' "$work/log")
[[ $command == "make lab2 SOL=1 ONLY=3_train NP=2 ARGS=\"--seed=2 "*" --resume $work/out/"* ]] ||
    fail "not a command that resumes: $command"

# nobody sees that a rank is stopped, but the ranks that wait for it
if [ -n "${ALL-}" ]; then
    export LABS_COMM_SECONDS=15 # less, and a busy machine's slow start would be taken for a hang
    fault STOP 3 "$train" 3 || fail "stopped: status $?"
    grep -q 'ranks left: 0$' "$work/log" || fail "stopped: ranks are left"
    echo "a stopped rank: $(grep -m 1 'error: ' "$work/log")"
fi

fault KILL 3 "$BUILD/student/lab2_ddp/3_train" 1
[ $? = 77 ] && grep -q 'still to do in lab2_ddp/3_train.c: steps 1 2 3 4 5 6 7 8 9: each of the 3' \
    "$work/log" || fail "the program as given: expected a message that it is not converted"
for wrong in KILL=2 'KILL=1 HOSTS=a:2'; do
    # shellcheck disable=SC2086 # words
    make "BUILD=$BUILD" DEPS=no lab2 $wrong >"$work/log" 2>&1 && fail "$wrong: accepted"
    grep -q "KILL=[12]: \(expected\|on this machine alone\)" "$work/log" ||
        fail "$wrong: no clear line"
done
fault KILL 1 "$train" 1 && fail "one rank: accepted"
grep -q '^error: NP=1: a run that loses a rank needs 2' "$work/log" ||
    fail "one rank: no clear line"
fault KILL 2 "$train" 1 --checkpoint-every 0 && fail "no checkpoints: accepted"
grep -q '^error: --checkpoint-every 0: expected' "$work/log" || fail "no checkpoints: no clear line"
fault KILL 2 "$train" 1 --steps 5 && fail "a run that ends before its fault: accepted"
grep -q 'the run ended by itself (status 0) before the fault' "$work/log" || fail "too short a run"
fault KILL 2 "$train" 1 --model none && fail "a run that fails: accepted"
grep -q 'the run ended by itself (status 2)' "$work/log" || fail "a run that fails: status"
echo "what cannot be is refused"
