#!/usr/bin/env bash
# ranks: 0
# seconds: 600
# sanitizers: no
# The checks of lab 2's parts 8 and 9 find each mistake and say what it is: a sed expression (-z:
# over several lines) changes the reference, and the check must print FAIL with the expected words.
# Every fourth of them; MUTANTS=all: all.
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_lab2_programs.sh
tried=0 failed=0 number=0

try() { # name, exercise, words (a pattern), sed expression
    local dir=$work/$1 from=$source/$2.c line
    mkdir "$dir"
    sed -zE "$4" "$from" >"$dir/$2.c" || return 1
    if cmp -s "$from" "$dir/$2.c"; then echo "the expression changes nothing"; return 1; fi
    build_changed "$dir" "$2" || { cat "$dir/make.log"; return 1; }
    TMPDIR=$dir timeout --kill-after=5 60 "$dir/check/$2" >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    grep -qE -- "$3" <<<"$line" || { echo "expected '$3': $(cat "$dir/check.log")"; return 1; }
    echo "ok    $1: $line"
    rm -rf "$dir"
}

while read -r name exercise && read -r words && read -r expression; do
    read -r || true
    number=$((number + 1))
    [ "${MUTANTS-}" = all ] || [ $((number % 4)) = 1 ] || continue
    tried=$((tried + 1))
    try "$name" "$exercise" "$words" "$expression" ||
        { echo "FAIL  $name"; failed=$((failed + 1)); }
done <tests/mutants/lab2_local
echo "$tried of $number mistakes tried, $failed not named"
[ $tried -gt 0 ] && [ $failed = 0 ]
