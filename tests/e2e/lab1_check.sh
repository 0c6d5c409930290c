#!/usr/bin/env bash
# Lab 1's self-check: every line PASS on the reference, none on the stubs, and FAIL on typical mistakes. The program shows its pictures either way.
# seconds: 120
# sanitizers: no
set -u
work=$(mktemp -d)
fail() { echo "$*"; exit 1; }
"$BUILD/sol/lab1_gd/check" >"$work/sol" || fail "the reference does not pass: $(cat "$work/sol")"
[ "$(grep -c '^PASS  ' "$work/sol")" = 4 ] && grep -q '^35 of 35 points$' "$work/sol" || fail "expected four PASS: $(cat "$work/sol")"
"$BUILD/student/lab1_gd/check" >"$work/stub"; [ $? = 1 ] || fail "the stubs' check should exit 1"
[ "$(grep -c '^TODO  ' "$work/stub")" = 4 ] && ! grep -q '^PASS' "$work/stub" || fail "expected four TODO: $(cat "$work/stub")"

# Each mistake makes its own line FAIL, and no other.
mistake() { # file, sed expression, exercise
    local m=$work/mistake
    mkdir -p "$m" && cp lab1_gd/solution/*.c "$m/"
    sed -i "$2" "$m/$1.c"
    cmp -s "$m/$1.c" "lab1_gd/solution/$1.c" && fail "$1: $2 changed nothing"
    "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Icommon -Ilab1_gd "$m"/*.c lab1_gd/linear.c lab1_gd/check*.c common/exercise.c common/check.c common/start*.c \
        common/rng.c -lm -o "$m/check" || fail "$1: does not compile"
    "$m/check" >"$m/log"
    grep -q "^FAIL  $3 " "$m/log" && [ "$(grep -c '^PASS' "$m/log")" = 3 ] || fail "$1 with $2: expected FAIL of $3 alone: $(cat "$m/log")"
}
mistake gradient 's|/ n;|;|' gradient
mistake gradient 's|2 \* error;|error;|; s|+= 2 \* error / n|+= error / n|' gradient
mistake gradient 's|error \* x\[i\]|error|' gradient
mistake gradient 's|i < n|i < n - 1|' gradient
mistake update 's|\*w -=|*w +=|' update
mistake update 's|\*b -= rate \* db|*b -= rate * dw|' update
mistake converged 's|now <= before \&\& ||' converged
mistake converged 's/ || before == 0//' converged
mistake converged 's|count <= window|count < window|' converged
mistake converged 's|count - 1 - window|count - window|' converged
mistake filter_normalize 's|sqrt(ww / dd)|ww / dd|' filter_normalize
mistake filter_normalize 's|dd > 0 ? sqrt(ww / dd) : 0|sqrt(ww / dd)|' filter_normalize
mistake filter_normalize 's|sqrt(ww / dd)|1 / sqrt(dd)|' filter_normalize
mistake filter_normalize 's|d += size, w += size|d += size|' filter_normalize
mistake gradient 's|\*dw = \*db = 0;|for (;;) ;|' gradient
mistake gradient 's|\*dw = \*db = 0;|*(volatile int *)0 = 0;|' gradient

HEADLESS=1 "$BUILD/student/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1; [ $? = 77 ] || fail "with the stubs: expected exit 77"
grep -q 'TODO in lab1_gd/gradient.c, line' "$work/log" || fail "the stub's file and line are not said: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1 || fail "the reference: $(cat "$work/log")"
grep -q 'converged' "$work/log" || fail "no convergence: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" --rate 0.4 >"$work/log" 2>&1
grep -q 'diverged' "$work/log" || fail "a rate above the limit should diverge: $(cat "$work/log")"
if file "$work/lab1_gradient_descent/descent.png" 2>/dev/null | grep -q PNG || [ ! -x "$(command -v file)" ]; then :; else fail "no picture"; fi
cat "$work/sol"
