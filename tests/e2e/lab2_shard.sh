#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# Lab 2, part 10: on 4 ranks every figure of memory and bytes is counted as predicted (2 %), all
# stages end with the weights of plain data parallelism (the same bits on 1 and 2 ranks), parts give
# the same gradient, pieces the same to rounding; the stub.
set -eu
program=$BUILD/sol/lab2_ddp/10_shard
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
fail() { echo "wrong: $*"; tail -n 30 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --hidden 60,33 --batch 4 --updates 2 --deep resnet8 --deep-batch 4"
launch() { # ranks, program, options…
    local ranks=$1 program=$2
    shift 2
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$program" --out "$work/out" $small "$@" \
        >"$work/log" 2>&1
}

launch 4 "$program" || fail "on 4 ranks"
[ -s "$work/out/lab2_shard/shard.png" ] || grep -q Cairo "$work/log" || fail "no figure"
# what,ranks,micro, params and predicted, grads, state, activations, all, wire, seconds, difference
awk -F, '
    function off(a, b) { return a > 1.02 * b + 1 || a < 0.98 * b - 1 }
    NR == 1 { next }
    /^(plain|ZeRO)/ {
        stages++
        for (i = 4; i <= 14; i += 2) if (off($i, $(i + 1))) { print "column " i ": " $0; bad = 1 }
        if (!($17 <= ($2 <= 2 ? 0 : 1e-6))) { print "weights: " $0; bad = 1 }
        if ($1 == "ZeRO 2" && $2 == 4) two[$3] = $17
        if ($1 == "ZeRO 3" && $2 == 4 && two[$3] != $17) { print "2 and 3 differ"; bad = 1 }
        next
    }
    { savings++
      if (off($10, $11)) { print "activations: " $0; bad = 1 }
      if (!($17 <= (/^computed/ ? 0 : 1e-5))) { print "gradient: " $0; bad = 1 } }
    END { if (stages != 20 || savings < 8) { print stages, savings; bad = 1 }; exit bad }
' "$work/out/lab2_shard/metrics.csv" || fail "the table"
[ -z "${ALL-}" ] || {
    launch 1 "$program" --hidden 256 --batch 16 ||
        fail "on one rank"
    awk -F, 'NR > 1 { rows++; if (!($16 > 0.00003)) { print "seconds: " $0; bad = 1 } }
        END { exit bad || rows < 20 }' "$work/out/lab2_shard/metrics.csv" ||
        fail "one rank's clock does not count what it computes"
}
launch 4 "$program" --updates 5000 && fail "5000 updates are taken"
launch 1 "$program" --model mlp --hidden 0 && fail "--hidden 0 is taken"
status=0
launch 2 "$BUILD/student/lab2_ddp/10_shard" || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab2_ddp/exercises/10a_rank_costs.c, line [0-9]+' "$work/log" ||
    fail "the stub names no exercise"
