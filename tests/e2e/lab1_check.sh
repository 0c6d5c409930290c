#!/usr/bin/env bash
# Lab 1's self-check: every line PASS on the reference, none on the stubs; each by itself,
# too. The program draws its figure either way.
# seconds: 300
# sanitizers: no
set -u
exercises=35 points=122 # 13 exercises, 22 questions
work=$(mktemp -d)
fail() { echo "$*"; exit 1; }
common/setup/check.sh "$BUILD"/sol/lab1_gd/check/* >"$work/sol" ||
    fail "the reference does not pass: $(cat "$work/sol")"
[ "$(grep -c '^PASS  ' "$work/sol")" = $exercises ] &&
    grep -q "^$points of $points points\$" "$work/sol" ||
        fail "expected $exercises PASS: $(cat "$work/sol")"
common/setup/check.sh "$BUILD"/student/lab1_gd/check/* >"$work/stub" ||
    fail "the stubs' check should exit 0: nothing is wrong"
grep -q "^0 of $points points, $exercises to do\$" "$work/stub" ||
    fail "the sum does not say how many are to do: $(cat "$work/stub")"
[ "$(grep -c '^TODO  ' "$work/stub")" = $exercises ] &&
    ! grep -q '^PASS\|your code is there' "$work/stub" ||
    fail "expected $exercises TODO: $(cat "$work/stub")"

. tests/e2e/_lab1_checks.sh
alone() { # exercise's file without .c
    local m=$work/alone-$1
    mkdir "$m"; cp "lab1_gd/solution/$1.c" "$m/"
    build "$m" "$1" || fail "$1: does not compile"
    "$m/check/$1" >"$m/log" || fail "$1: does not pass by itself: $(cat "$m/log")"
    rm -r "$m"
}
for file in lab1_gd/solution/*.c; do alone "$(basename "$file" .c)"; done

HEADLESS=1 "$BUILD/student/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1
[ $? = 77 ] || fail "with the stubs: expected exit 77"
grep -q 'TODO in lab1_gd/exercises/1a_gradient.c, line' "$work/log" ||
    fail "the stub's file and line are not printed: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1 ||
    fail "the reference: $(cat "$work/log")"
grep -q 'converged' "$work/log" || fail "no convergence: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" --rate 0.4 >"$work/log" 2>&1
grep -q 'DIVERGED: the learning rate is too large' "$work/log" ||
    fail "a rate above the limit should diverge: $(cat "$work/log")"
# Without noise the minimum is 0, of which rounding leaves some 1e-15: that blames nobody.
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --noise 0 --out "$work/out" >"$work/log" 2>&1 ||
    fail "without noise: exit status $?"
grep -q '^after [0-9]* updates at rate 0.1: converged$' "$work/log" ||
    fail "without noise: $(cat "$work/log")"
if grep -qs '^HAVE_CAIRO := 1' "$BUILD/config.mk"; then
    [ "$(head -c 4 "$work/lab1_gradient_descent/descent.png" | tail -c 3)" = PNG ] ||
        fail "no figure"
fi
cat "$work/sol"
