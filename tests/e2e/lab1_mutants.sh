#!/usr/bin/env bash
# The checks of lab 1 find each wrong version of tests/mutants/lab1_gd and name the mistake. Without
# MUTANTS=all (make mutants) only those marked with + run; MUTANT=name: this one.
# seconds: 600
# sanitizers: no
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_lab1_checks.sh

try() { # name, exercise, words (a pattern), sed expression
    local dir=$work/$1 line
    mkdir "$dir"
    sed -zE "$4" "lab1_gd/solution/$2.c" >"$dir/$2.c" || { echo "FAIL  $1: sed: $4"; return 1; }
    cmp -s "$dir/$2.c" "lab1_gd/solution/$2.c" &&
        { echo "FAIL  $1: the expression changes nothing: $4"; return 1; }
    build "$dir" "$2" 2>"$dir/make.log" ||
        { echo "FAIL  $1: does not compile: $(cat "$dir/make.log")"; return 1; }
    "$dir/check/$2" >"$dir/log" 2>&1
    line=$(grep -m 1 "^FAIL  ${2#*_} " "$dir/log" | sed 's/.*; found: //')
    grep -qE -- "$3" <<<"$line" ||
        { echo "FAIL  $1: expected '$3': $(cut -c 1-400 "$dir/log")"; return 1; }
    echo "ok    $1: $line"
    rm -rf "$dir"
}

mutants=0 records=0
while read -r name exercise; do
    [ -n "$name" ] && [ "${name:0:1}" != '#' ] || continue
    read -r words
    expression=
    while read -r line && [ -n "$line" ]; do expression+="${expression:+ }$line"; done
    case $expression in
        'BODY '*) expression="s/(\n[a-zA-Z][^;{]*\)\n)\{.*/\1{ ${expression#* } }\n/" ;;
    esac
    records=$((records + 1))
    if [ -n "${MUTANT:-}" ]; then [ "$MUTANT" = "${name#+}" ] || continue
    elif [ "${MUTANTS:-}" != all ]; then [ "${name:0:1}" = + ] || continue
    fi
    printf '%s\0' "${name#+}" "$exercise" "$words" "$expression" >>"$work/mutants"
    mutants=$((mutants + 1))
done <tests/mutants/lab1_gd
export -f try
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$mutants of $records mutants"
[ "$failed" = 0 ] && [ "$mutants" -gt 0 ]
