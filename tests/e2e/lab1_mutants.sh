#!/usr/bin/env bash
# The checks of lab 1, each alone with its own exercise: it passes on the solution, so with stubs
# everywhere else, and finds each wrong version of tests/mutants/lab1_gd and names the mistake.
# Without MUTANTS=all (make mutants) or ALL=1 only those marked with + run; MUTANT=name: this one.
# seconds: 600
# sanitizers: no
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Linked are the check, its exercise and what all checks use.
compile() { "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Icommon -Ilab1_gd -w -c "$1" -o "$2"; }
link() { "${CC:-cc}" "$1" "$work/checks/$2.o" "$work"/frame/*.o -lm -o "$3"; }
build() { # folder, exercise's file without .c: folder/NAME.c to folder/check/NAME
    mkdir "$1/check" "$1/trial"
    cp "$work/check/$2" "$1/check/"
    compile "$1/$2.c" "$1/$2.o" && link "$1/$2.o" "$2" "$1/trial/$2"
}
mkdir -p "$work/frame" "$work/checks" "$work/check"
for file in lab1_gd/parts/1_linear/linear.c \
    common/judge/{exercise,exercise_values,exercise_trial,child,child_alone,child_family}.c \
    common/base/{printable,timer,check,memory,cgroup,number,quantiles,rng}.c \
    common/base/{start,start_needs,start_streams}.c; do
    compile "$file" "$work/frame/$(basename "$file" .c).o" || { echo "$file"; exit 1; }
done
for file in lab1_gd/check/*.c; do
    [ "$file" != lab1_gd/check/99_answers.c ] || continue # of no exercise
    name=$(basename "$file" .c)
    echo "void ${name#*_}(void) { __builtin_trap(); }" >"$work/absent.c" # never called
    compile "$file" "$work/checks/$name.o" && compile "$work/absent.c" "$work/absent.o" &&
        link "$work/absent.o" "$name" "$work/check/$name" || { echo "$file"; exit 1; }
done
export -f compile link build
export work

for file in lab1_gd/solution/*.c; do
    name=$(basename "$file" .c) dir=$work/alone-$(basename "$file" .c)
    mkdir "$dir"; cp "$file" "$dir/"
    build "$dir" "$name" || { echo "FAIL  $name: does not compile"; exit 1; }
    "$dir/check/$name" >"$dir/log" ||
        { echo "FAIL  $name does not pass by itself: $(cat "$dir/log")"; exit 1; }
    rm -r "$dir"
done

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
    elif [ "${MUTANTS:-}" != all ] && [ -z "${ALL-}" ]; then [ "${name:0:1}" = + ] || continue
    fi
    printf '%s\0' "${name#+}" "$exercise" "$words" "$expression" >>"$work/mutants"
    mutants=$((mutants + 1))
done <tests/mutants/lab1_gd
export -f try
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$mutants of $records mutants"
[ "$failed" = 0 ] && [ "$mutants" -gt 0 ]
