#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# Lab 3, part 9: it learns; the same seed gives the same accuracies; ALL=1: --ablate has a row for
# each ingredient, and each changes something; both variants run; several ranks and bad options are
# refused.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --threads 1 --width 4 --images 256 --test 100 --batch 64 --epochs 2"
small+=" --runs 1 --plain-model linear"
speedrun() { # variant, folder, options…
    local variant=$1 out=$2; shift 2
    # shellcheck disable=SC2086  # $small is words
    "$BUILD/$variant/lab3_scale/9_speedrun" --out "$work/$out" $small "$@" >"$work/log" 2>&1
}
# training,run,point,accuracy,updates: all but the seconds.
without_seconds() { cut -d, -f 1-3,5,6 "$work/$1/lab3_speedrun/metrics.csv" | grep -v '^plain'; }

ingredients() {
    speedrun sol silu --activation silu --no-muon --no-compare || fail "SiLU, without Muon"
    speedrun sol all --ablate || fail "the recipe and its ingredients"
    local metrics marks
    metrics=$work/all/lab3_speedrun/metrics.csv
    [ -s "$work/all/lab3_speedrun/speedrun.png" ] || fail "no figure"
    # The recipe, a plain training, and eight recipes that lack something.
    [ "$(cut -d, -f 1 "$metrics" | tail -n +2 | sort -u | wc -l)" = 10 ] ||
        fail "not ten trainings: $(cat "$metrics")"
    [ "$(grep -c '^the recipe,' "$metrics")" = 2 ] || fail "not a point for each epoch"
    grep -q '^the recipe without its' "$work/log" || fail "no table"
    # A training's points together are its mark.
    marks=$(awk -F, '$1 != "plain" { m[$1] = m[$1] " " $5 } END { for (i in m) print m[i] }' \
        "$metrics" | sort -u | wc -l)
    [ "$marks" -ge 6 ] || fail "only $marks of nine recipes differ: $(cat "$metrics")"
}
if [ -n "${ALL-}" ]; then ingredients
else speedrun sol all --no-compare || fail "the recipe"; fi
# Ten classes: a guess has 0.1.
speedrun sol learns --width 8 --images 2048 --test 200 --epochs 3 --no-compare || fail "larger"
awk -F, '$3 == 3 { n++; if ($5 < 0.3) bad = 1 } END { exit bad || n != 1 }' \
    "$work/learns/lab3_speedrun/metrics.csv" ||
    fail "it has not learnt: $(cat "$work/learns/lab3_speedrun/metrics.csv")"

speedrun student again --no-compare || fail "once more, the students'"
without_seconds all | grep '^the recipe,' >"$work/first"
without_seconds again | grep '^the recipe,' | cmp - "$work/first" || fail "another accuracy"
grep -q 'plain' "$work/again/lab3_speedrun/metrics.csv" && fail "--no-compare compares"
grep -q '^target 0.88.*missed by the mean of 1' "$work/log" || fail "the target: $(cat "$work/log")"

refused() { # message, options…
    local status=0 message=$1; shift
    speedrun sol bad "$@" || status=$?
    [ $status = 2 ] && grep -q "^error: .*$message" "$work/log" || fail "$*: exit $status"
}
refused 'there are 256 training images' --batch 257
refused 'shift=17: expected' --shift 17
refused 'width=0: expected' --width 0
refused 'width=513: expected' --width 513
refused 'epochs=0: expected' --epochs 0
refused 'epochs=nan: expected' --epochs nan
refused 'epochs=61: expected' --epochs 61
refused 'runs=-1: expected' --runs -1
refused 'batch=1e9: expected' --batch 1e9
refused 'muon-rate=0: expected' --muon-rate 0
refused 'plain-rate=inf: expected' --plain-rate inf
refused 'unsure=1.01: expected' --unsure 1.01
refused 'target=-0.1: expected' --target -0.1
refused 'activation=tanh: expected' --activation tanh
refused 'no-mouon: no such option' --no-mouon
refused 'ablate=muon: takes no value' --ablate=muon
refused 'model .vgg.: expected' --plain-model vgg
refused 'model .vgg.: expected' --plain-model vgg --no-compare
refused 'this recipe has nothing to leave out' --ablate --no-whitening --no-dirac --no-muon \
    --no-smooth --no-alternate --no-reflect --no-fast-biases --no-see-twice
refused 'processor-time counts one thread' --processor-time --threads 2
LABS_CLOCK=virtual refused 'a virtual clock does not tell'
status=0
# shellcheck disable=SC2086  # $small is words
common/setup/launch.sh --np 2 "$BUILD/sol/lab3_scale/9_speedrun" --out "$work/two" $small \
    >"$work/log" 2>&1 || status=$?
[ $status = 2 ] && grep -q "2 ranks: a speedrun is one rank's" "$work/log" ||
    fail "two ranks: exit $status"
