#!/usr/bin/env bash
# ranks: 4
# seconds: 600
# sanitizers: no
# Lab 3, part 4: synchronised, 2 ranks (ALL=1: 3) are one rank, to rounding, and without it they
# are not; ghost_norm is the network's own batch norm; the stub names its exercise; bad options.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; tail -n 20 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --images 320 --test 100 --epochs 0.2 --seeds 1 --batch 32 --large 32"
norm() { # variant, ranks, options…
    local variant=$1 ranks=$2; shift 2
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$BUILD/$variant/lab3_scale/4_batch_norm" \
        --out "$work/out" $small "$@" >"$work/log" 2>&1
}
ranks=2
[ -z "${ALL-}" ] || ranks=3
norm sol $ranks || fail "on $ranks ranks"
awk -F, '$1 == "apart" && $2 == 1 { apart = $3 }
    $1 == "synchronised" && $2 == 1 { rows++; together = $3 }
    $1 == "ghost_norm" { rows++; if (!($3 < 1e-3)) bad = 1 }
    END { print apart, together; exit bad || rows != 2 || !(together < 1e-6) ||
        !(apart > 100 * together) }' "$work/out/lab3_batch_norm/metrics.csv" ||
    fail "$ranks ranks are not one: $(cat "$work/out/lab3_batch_norm/metrics.csv")"
[ -s "$work/out/lab3_batch_norm/batch_norm.png" ] || fail "no figure"
status=0; norm student 2 || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab3_scale/exercises/4a_ghost_norm.c, line [0-9]+' "$work/log" ||
    fail "the stub is not named"
norm sol 1 --layer fc9 && fail "an unknown layer is taken"
grep -q '^error: --layer=fc9: resnet8 has no such' "$work/log" || fail "no reason"
