#!/usr/bin/env bash
# The checks of lab 2's part 7 find each mistake and say what it is: a sed expression (-z: over
# several lines) changes the reference, and the check must print FAIL with the expected words.
# MUTANTS=all: all of them; else two of each exercise.
# seconds: 600
# sanitizers: no
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_lab2_programs.sh

try() { # name, exercise, words (a pattern), sed expression
    local dir=$work/$1 from=$source/$2.c line began=$SECONDS
    failed() { echo "FAIL  $name ($((SECONDS - began)) s): $*"; }
    local name=$1
    mkdir "$dir"
    sed -zE "$4" "$from" >"$dir/$2.c" || { failed "sed: $4"; return 1; }
    if cmp -s "$from" "$dir/$2.c"; then
        failed "the expression changes nothing: $4"; return 1
    fi
    build_changed "$dir" "$2" || { failed "does not compile"; cat "$dir/make.log"; return 1; }
    TMPDIR=$dir timeout --kill-after=5 120 "$dir/check/$2" >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    grep -qE -- "$3" <<<"$line" ||
        { failed "expected '$3':"; cut -c 1-500 "$dir/check.log"; return 1; }
    echo "ok    $name ($((SECONDS - began)) s): $line"
    rm -rf "$dir"
}

# A record per mutant, a blank line behind it: its name and exercise, with + if it is one of the
# quick ones; words of the verdict; the sed expression.
mutants=0 tried=0
while read -r name exercise quick && read -r words && read -r expression; do
    read -r _ || true
    mutants=$((mutants + 1))
    [ "${MUTANTS-}" = all ] || [ "$quick" = + ] || continue
    printf '%s\0' "$name" "$exercise" "$words" "$expression" >>"$work/mutants"
    tried=$((tried + 1))
done <tests/mutants/lab2_compression

# Some of them wait: run more at once than there are cores.
export -f try
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$mutants mutants, $tried tried"
[ "$failed" = 0 ] && [ "$mutants" = 80 ]
