#!/usr/bin/env bash
# `make` alone: every target of the Makefile on one line each, in columns, and it neither probes nor
# writes. Bad values are refused.
# seconds: 60
# sanitizers: no
# ranks: 0
set -eu
. tests/e2e/_work.sh

make BUILD="$work/none" >"$work/out" 2>"$work/err" || fail "make fails"
[ ! -s "$work/err" ] || fail "make prints to stderr"
[ ! -e "$work/none" ] || fail "make without a target writes into the build folder"
make help BUILD="$work/none" | cmp - "$work/out" || fail "make help prints something else"

for target in demo lab1 lab2 lab3 assessment check grade all test bench profile datasets handout \
    doctor clean; do
    [ "$(grep -cE "^  $target +[^ ]" "$work/out")" = 1 ] || fail "$target: expected on one line"
    grep -q "^$target:" Makefile || fail "$target: no rule"
done
for variable in SOL NP HOSTS DEVICE DATA HEADLESS SEED ARGS DEPS BUILD CC SAN ONLY LAB; do
    grep -qE "(^  |; )$variable=" "$work/out" || fail "$variable is not explained"
done
[ "$(awk 'length > 110' "$work/out" | wc -l)" = 0 ] || fail "lines longer than 110 columns"
[ "$(grep -E '^  ' "$work/out" | awk '{ print substr($0, 17, 2) }' | grep -cv '^ [^ ]')" = 0 ] ||
    fail "the second column does not begin at 18"

if make BUILD="$work/none" test SAN=maybe >"$work/out" 2>&1; then fail "SAN=maybe is accepted"; fi
grep -q 'SAN=maybe: expected' "$work/out" || fail "SAN=maybe: no clear message"
if make BUILD="$work/none" lab9 >"$work/out" 2>&1; then fail "an unknown target is accepted"; fi
