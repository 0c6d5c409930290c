#!/usr/bin/env bash
# Lab 3, all parts but 6: each mistake in an exercise is found, and named: a sed expression changes
# the reference, and the check must print FAIL with these words.
# seconds: 300
# sanitizers: no
#
# Without MUTANTS=all (make mutants) only those marked with + run.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# The commands with which make compiles a reference and links the program that tries it: of one of
# them; the others' are alike.
one=2a_interpolate
cuda=()
[ -e "$BUILD/gpu_calls" ] || cuda=(HAVE_CUDA=) # this build is without
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n V=1 BUILD="$BUILD" "${cuda[@]}" \
    -W lab3_scale/solution/$one.c "$BUILD/sol/lab3_scale/trial/$one" 2>&1 |
    sed 's/ *$//' >"$work/commands"
compile=$(grep -- "-c lab3_scale/solution/$one.c -o [^ ]*$" "$work/commands" | tail -n 1)
link=$(grep -- "-o $BUILD/sol/lab3_scale/trial/$one\$" "$work/commands" | tail -n 1)
[ -n "$compile" ] && [ -n "$link" ] ||
    fail "make does not say how it builds $one: $(tail -n 5 "$work/commands")"

try() { # number, exercise, words, sed expression
    local dir=$work/$1 name=$2
    mkdir -p "$dir/check" "$dir/trial"
    sed "$4" "lab3_scale/solution/$name.c" >"$dir/$name.c"
    cmp -s "$dir/$name.c" "lab3_scale/solution/$name.c" && fail "$name: $4 changes nothing"
    cp "$BUILD/sol/lab3_scale/check/$name" "$dir/check/"
    {
        bash -c "$(sed "s|-c lab3_scale/.*|-O1 -w -c $dir/$name.c -o $dir/$name.o|" \
            <<<"$compile")" &&
            bash -c "$(sed "s|$one|$name|g; s| [^ ]*parts\.a| $dir/$name.o&|
                s|-o [^ ]*\$|-o $dir/trial/$name|" <<<"$link")"
    } >"$dir/make.log" 2>&1 || fail "$name with $4: does not build: $(cat "$dir/make.log")"
    "$dir/check/$name" >"$dir/log" 2>&1
    grep "^FAIL  ${name#*_} " "$dir/log" | grep -qF -- "$3" ||
        fail "$name with $4: expected FAIL with '$3': $(cat "$dir/log")"
    echo "ok  $name: $(sed -n 's/^FAIL.*found: //p' "$dir/log")"
    rm -rf "$dir"
}
mistakes=0
mistake() { # exercise, words, sed expression; + in front of the exercise: a quick one
    [ "${MUTANTS-}" = all ] || [ "${1:0:1}" = + ] || return
    mistakes=$((mistakes + 1))
    printf '%s\0' $mistakes "${1#+}" "$2" "$3" >>"$work/mistakes"
}

. tests/mutants/lab3_gap
. tests/mutants/lab3_scale

export -f try fail; export work compile link one
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mistakes" ||
    fail "the mistakes above were not found as expected"
echo "$mistakes mistakes found"
