#!/usr/bin/env bash
# all: yes
# ranks: 0
# seconds: 900
# sanitizers: no
# The tests on the CPU emulation of CUDA find mistakes that no CPU code makes: a missing wait, a
# stale recording, a refusal misunderstood. Each of tests/mutants/cuda (name and file, of the CUDA
# backend or with its folder in common/; program and case; sed expression, -z: over several lines)
# must make its case fail. Every third; MUTANTS=all: all.
set -u
. tests/e2e/_work.sh
tools=$BUILD/cuda_on_host
[ -x "$tools/link" ] || { echo "skipped: no C++ compiler or objcopy"; exit 77; }
tried=0 failed=0 number=0 every=3
[ -z "${MUTANTS-}" ] || every=1

# A wrong order of work need not show in every order: the cases of a pattern (.*) are the seeds.
dies() { # program, test, case
    local case
    for case in $("$1" --list | awk -v pattern="^($3)$" '$1 ~ pattern { print $1 }'); do
        timeout --kill-after=5 30 "$1" "$case" >"$work/log" 2>&1 || { echo "$case"; return; }
    done
    return 1
}

try() { # name, file, test, case, sed expression
    local dir=$work/$1 source=common/backend/cuda/$2 changed object case
    case $2 in */*) source=common/$2 ;; esac
    changed=$dir/${2##*/} object=$dir/${2##*/}
    object=${object%.*}.o
    mkdir "$dir"
    sed -zE "$5" "$source" >"$changed"
    if cmp -s "$source" "$changed"; then
        echo "the expression changes nothing"; return 1
    fi
    # -w: what a mistake no longer uses is no error; -O0: half the time
    EXTRA='-w -O0 -g0' "$tools/compile" "$changed" "$object" >"$dir/log" 2>&1 &&
        EXTRA=-Wl,-S "$tools/link" "$dir" "$3" "$dir/test" >>"$dir/log" 2>&1 ||
        { cat "$dir/log"; return 1; }
    case=$(dies "$dir/test" "$3" "$4") || { echo "$3 passes: $4"; return 1; }
    echo "ok    $1: $3 $case:" \
        "$(grep -m 1 -E '^\[ +(ERROR|FAILED)|emulation of CUDA|error:' "$work/log")"
    rm -rf "$dir"
}

while read -r name file && read -r test case && read -r expression; do
    read -r || true
    number=$((number + 1))
    [ $((number % every)) = $((1 % every)) ] || continue
    tried=$((tried + 1))
    try "$name" "$file" "$test" "$case" "$expression" ||
        { echo "FAIL  $name"; failed=$((failed + 1)); }
done <tests/mutants/cuda
echo "$tried of $number mistakes tried, $failed not seen"
[ $tried -gt 0 ] && [ $failed = 0 ]
