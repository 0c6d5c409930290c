#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# Lab 3, part 9: it learns; the same seed gives the same accuracies; ALL=1: --ablate has a row for
# each ingredient, and each changes something; both variants run; several ranks and bad options are
# refused.
set -u
lab=lab3_scale
. tests/e2e/_lab.sh
options=(--data synthetic --threads 1 --width 4 --images 256 --test 100 --batch 64 --epochs 2
    --runs 1 --plain-model linear)
speedrun() { # variant, folder, options…
    out=$work/$2 run 1 "$1/9_speedrun" "${@:3}"
    [ $status = 0 ]
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

refuses() { run 1 sol/9_speedrun "${@:2}"; refused "^error: .*$1"; } # message, options…
refuses 'there are 256 training images' --batch 257
refuses 'shift=17: expected' --shift 17
refuses 'width=0: expected' --width 0
refuses 'width=513: expected' --width 513
refuses 'epochs=0: expected' --epochs 0
refuses 'epochs=nan: expected' --epochs nan
refuses 'epochs=61: expected' --epochs 61
refuses 'runs=-1: expected' --runs -1
refuses 'batch=1e9: expected' --batch 1e9
refuses 'muon-rate=0: expected' --muon-rate 0
refuses 'plain-rate=inf: expected' --plain-rate inf
refuses 'unsure=1.01: expected' --unsure 1.01
refuses 'target=-0.1: expected' --target -0.1
refuses 'activation=tanh: expected' --activation tanh
refuses 'no-mouon: no such option' --no-mouon
refuses 'ablate=muon: takes no value' --ablate=muon
refuses 'model .vgg.: expected' --plain-model vgg
refuses 'model .vgg.: expected' --plain-model vgg --no-compare
refuses 'this recipe has nothing to leave out' --ablate --no-whitening --no-dirac --no-muon \
    --no-smooth --no-alternate --no-reflect --no-fast-biases --no-see-twice
refuses 'processor-time counts one thread' --processor-time --threads 2
LABS_CLOCK=virtual refuses 'a virtual clock does not tell'
run 2 sol/9_speedrun; is 2 "2 ranks: a speedrun is one rank's"
