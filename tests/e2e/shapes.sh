#!/usr/bin/env bash
# Nothing that students get solves an exercise, under any names; and a disguised copy of each
# solution is found.
# seconds: 200
# sanitizers: no
# ranks: 0
set -eu
work=$(mktemp -d)
wrong() { echo "wrong: $*"; exit 1; }

make handout BUILD="$work" >"$work/log" || { cat "$work/log"; wrong "make handout"; }
tar -xzf "$work/handout/labs.tar.gz" -C "$work"
status=0; tests/tools/shapes.py "$work/labs" >"$work/clean" || status=$?
cat "$work/clean"
[ $status = 0 ] || wrong "the functions above solve an exercise"

# One product, one call or three assignments: nobody can tell whose it is. No other may hide among
# them.
short=$(sed -n 's/^too short to tell: .*(\(.*\))$/\1/p' "$work/clean" | sort -u | tr '\n' ' ')
expected="add_up chunk_begin global_batch main rising synchronise update value "
[ "$short" = "$expected" ] || wrong "too short to tell: $short"

# A disguised copy of each solution: each of its answers is found in that copy, at its place.
for solution in */solution/*.c; do
    copy=zz_planted_$(echo "$solution" | tr / _)
    tests/e2e/disguise.py "$solution" >"$work/labs/common/$copy"
    if grep -wE 'order|now|tick|weight|arrived|comm|rank' "$work/labs/common/$copy"; then
        wrong "the names above are still $solution's"
    fi
done
status=0; tests/tools/shapes.py "$work/labs" >"$work/planted" || status=$?
cat "$work/planted"
[ $status = 1 ] || wrong "status $status with copies of all solutions"
answers=$(sed -n 's/^\([0-9]*\) answers of .*/\1/p' "$work/clean")
found=0
for solution in */solution/*.c; do
    copy=common/zz_planted_$(echo "$solution" | tr / _)
    names=$(sed -n "s,^$copy:[0-9]* (planted_\(.*\)): .* of $solution (\1)\$,\1,p" "$work/planted")
    [ -n "$names" ] || grep -q "^too short to tell: $solution" "$work/clean" ||
        wrong "the copy of $solution is not found"
    found=$((found + $(wc -w <<<"$names")))
done
[ "$found" = "$answers" ] || wrong "of $answers answers copied only $found are found"

# An answer is found too where it is no function of a program: in a comment, a macro, a handout.
rm "$work/labs/common/"zz_planted_*
tests/e2e/disguise.py lab1_gd/solution/*busy.c >"$work/answer"
{ echo '/* Like this:'; cat "$work/answer"; echo '*/'; } >"$work/labs/common/zz_comment.h"
echo "#define ANSWER $(cat "$work/answer")" >"$work/labs/common/zz_macro.h"
{ echo '```c'; cat "$work/answer"; echo '```'; } >"$work/labs/common/zz_handout.md"
tests/tools/shapes.py "$work/labs" >"$work/planted" || cat "$work/planted"
for place in comment.h:1 macro.h:1 handout.md:1; do
    grep -q "^common/zz_$place .*busy" "$work/planted" || wrong "the answer in $place is not found"
done

# How it is called: no such folder, no solutions.
for call in "$work/none" "$work/labs --solutions $work" ""; do
    status=0; tests/tools/shapes.py $call 2>"$work/usage" || status=$?
    [ $status = 2 ] && grep -q '^usage: ' "$work/usage" || wrong "shapes.py $call: status $status"
done
