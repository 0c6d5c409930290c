#!/usr/bin/env bash
# The checks of lab 3's optimisers find each mistake and say what it is: a sed expression changes
# the reference, and the check must print FAIL with the expected words.
# seconds: 300
# sanitizers: no
#
# Without MUTANTS=all only those marked with + run; MUTANT=name: this one.
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
source=lab3_scale/solution
parts=$BUILD/sol/lab3_scale/parts.a

cuda=()
[ -e "$BUILD/gpu_calls" ] || cuda=(HAVE_CUDA=) # this build is without
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n V=1 BUILD="$BUILD" "${cuda[@]}" \
    -W $source/6a_momentum.c "$BUILD/sol/lab3_scale/trial/6a_momentum" 2>&1 |
    sed 's/ *$//' >"$work/commands"
compile=$(grep -F -- "-c $source/6a_momentum.c" "$work/commands" | tail -n 1)
link=$(grep -E -- '-o [^ ]*lab3_scale/trial/6a_momentum$' "$work/commands" | tail -n 1)
[ -n "$compile" ] && [ -n "$link" ] ||
    { echo "make does not say how it builds:"; tail -n 5 "$work/commands"; exit 1; }

try() { # name, exercise, words (a pattern), sed expression
    local dir=$work/$1 name=$1 c=${compile//6a_momentum/$2} l=${link//6a_momentum/$2} line
    failed() { echo "FAIL  $name: $*"; }
    mkdir -p "$dir/check" "$dir/trial"
    sed -zE "$4" "$source/$2.c" >"$dir/$2.c" || { failed "sed: $4"; return 1; }
    if cmp -s "$source/$2.c" "$dir/$2.c"; then
        failed "the expression changes nothing: $4"; return 1
    fi
    cp "$BUILD/sol/lab3_scale/check/$2" "$dir/check/"
    c=$(sed -e "s|$source/$2\.c|$dir/$2.c|; s|$BUILD/$source/$2\.o|$dir/$2.o|g" \
        <<<"$c -w -Wno-error")
    l=${l/ $parts/ $dir/$2.o $parts}
    l=${l/-o $BUILD\/sol\/lab3_scale/-o $dir}
    bash -c "$c && $l" >"$dir/make.log" 2>&1 ||
        { failed "does not compile"; cat "$dir/make.log"; return 1; }
    TMPDIR=$dir "$dir/check/$2" >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    grep -qE -- "$3" <<<"$line" ||
        { failed "expected '$3':"; cut -c 1-400 "$dir/check.log"; return 1; }
    echo "ok    $name: $line"
    rm -rf "$dir"
}
# A line per mutant: name | exercise | words | sed expression
while IFS='|' read -r name exercise words expression; do
    if [ -n "${MUTANT:-}" ]; then [ "$MUTANT" = "${name#+}" ] || continue
    elif [ "${MUTANTS:-}" != all ]; then [ "${name:0:1}" = + ] || continue
    fi
    printf '%s\0' "${name#+}" "$exercise" "$words" "$expression" >>"$work/mutants"
done <tests/mutants/lab3_optimisers

export -f try
export work source parts compile link
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$(tr -cd '\0' <"$work/mutants" | wc -c | awk '{ print $1 / 4 }') mistakes"
exit $failed
