#!/usr/bin/env bash
# One student's mistake costs one line: an exercise that does not compile, or lacks its function,
# fails by itself, with an explanation; all other checks and programs work. And the check judges
# the files' contents, not their dates: a file out of a backup, stubs unpacked over a finished
# tree.
# all: yes
# seconds: 400
# sanitizers: no
set -eu
. tests/e2e/_work.sh

# A copy of the project, built: what changes there is rebuilt.
mkdir "$work/labs"
cp -a Makefile make common lab* assessment tests "$work/labs/"
mkdir "$work/labs/build"
for part in config.mk flags few_flags probe sources.sum libcommon.a common lab1_gd lab2_ddp \
    student gpu_calls labs_gpu.so nvcc_flags; do
    [ ! -e "$BUILD/$part" ] || cp -a "$BUILD/$part" "$work/labs/build/"
done
cd "$work/labs"
unset BUILD CI # with WERROR as it was built
export DEPS=no HEADLESS=1
# Built without the part for GPUs (make HAVE_CUDA= …), it works without it: nothing is built twice.
[ -e build/labs_gpu.so ] || export MAKEFLAGS=HAVE_CUDA=

check() { make check LAB=lab1 >"$work/log" 2>&1 || true; } # all points are not expected
line() { # with those that continue it
    awk -v name="^([0-9]+[a-z]?_)?$1 " '/^(PASS|FAIL|TODO) / { ours = ($2 " " $3 " ") ~ name }
        ours && /^(PASS|FAIL|TODO|      )/ { sub(/^      /, " "); printf "%s", $0 }' "$work/log"
    echo
}
expect() { # verdict, exercise, words
    line "$2" | grep "^$1 " | grep -qF -- "${3-}" ||
        fail "expected $1 of $2, with '${3-}': $(line "$2")"
}
programs=()
count() { # of exercises: an answer's name is 1_2_words
    grep -cE "^$1 +(step |[0-9]+[a-z]?_[a-z])" "$work/log" || true
}

# The attention alone, beside the library's layers.
cp lab1_gd/solution/10a_attention.c lab1_gd/exercises/
make lab1 ONLY=10_ ARGS="--out $work/out --model gpt-8-1-1 --batch 2 --updates 60" \
    >"$work/log" 2>&1 || fail "10a alone"
grep -q 'difference [0-9.]*e-0[78]$' "$work/log" || fail "10a alone: other gradients"

cp lab1_gd/solution/* lab1_gd/exercises/
check
[ "$(count PASS)" = 18 ] || fail "the reference in exercises/: expected 18 PASS"

cp lab1_gd/exercises/9a_pipeline_turn.c "$work/kept.c"
echo 'this is not C' >>lab1_gd/exercises/9a_pipeline_turn.c
check
expect FAIL pipeline_turn 'does not compile: lab1_gd/exercises/9a_pipeline_turn.c:'
[ "$(count PASS)" = 17 ] || fail "one broken exercise: expected 17 PASS"
make lab1 ONLY=1_ ARGS="--out $work/out" >"$work/log" 2>&1 || fail "part 1 beside a broken part 9"
grep -q converged "$work/log" || fail "part 1 did not run"
make lab1 ONLY=9_ NP=1 ARGS="--out $work/out --updates 1" >"$work/log" 2>&1 ||
    fail "part 9's status"
grep -q 'pipeline_turn.c: it does not compile' "$work/log" ||
    fail "part 9 does not say what is broken"
for program in lab1_gd/*_*.c; do programs+=("build/student/${program%.c}"); done
make "${programs[@]}" >"$work/log" 2>&1 || fail "the programs beside a broken exercise"

# One that crashes ends its part's program.
sed '0,/^{/s//{ raise(SIGSEGV);/; 1i #include <signal.h>' lab1_gd/solution/1a_gradient.c \
    >lab1_gd/exercises/1a_gradient.c
make lab1 ONLY=1_ ARGS="--out $work/out" >"$work/log" 2>&1 && fail "a crash: status 0"
grep -q "^1_gradient_descent crashed: 'make check LAB=lab1'" "$work/log" || fail "a crash: no line"
cp lab1_gd/solution/1a_gradient.c lab1_gd/exercises/

sed -i 's/column_shard(/another_name(/' lab1_gd/exercises/9b_column_shard.c
sed 's/^{/{ frobnicate(stage);/' "$work/kept.c" >lab1_gd/exercises/9a_pipeline_turn.c
check
expect FAIL column_shard 'does not define the function column_shard'
expect FAIL pipeline_turn 'frobnicate'
[ "$(count PASS)" = 16 ] || fail "other names: expected 16 PASS"

cp lab1_gd/solution/9b_column_shard.c lab1_gd/exercises/
cp "$work/kept.c" lab1_gd/exercises/9a_pipeline_turn.c # out of a backup: older than its object
touch -d 2001-01-01 lab1_gd/exercises/9a_pipeline_turn.c
check
[ "$(count PASS)" = 18 ] || fail "an exercise restored with an old date: expected 18 PASS"

# Several at once: each costs its own line, with an explanation.
exercises=lab1_gd/exercises
sed -i 's/^    return now/    if (now > 0) &/' $exercises/1c_converged.c
sed -i 's/^}/    TODO("move");\n}/; s/^#include/#include "check.h"\n&/' $exercises/1b_update.c
sed -i 's/^{/{ printf("%g\\n", fabs(w));/' $exercises/1a_gradient.c
sed -i 's/rng_below(r, i + 1)/rng_below(r, 0)/' $exercises/2_shuffle.c
cp $exercises/2_shuffle.c "$exercises/2_shuffle (copy).c"
mv $exercises/9b_column_shard.c $exercises/9B_column_shard.c
rm $exercises/8_busy.c $exercises/answers.txt
check
expect FAIL converged 'the function can end without return: every path'
expect TODO update 'your code is there, but the line TODO(…) is still below it: delete it'
expect PASS gradient '' # with what lab1.h includes
expect FAIL shuffle 'you called rng_below(r, 0): n must be 1 or more'
expect FAIL column_shard 'missing: is it now called 9B_column_shard.c? Rename that file'
expect FAIL busy 'missing: restore it, in the folder of labs.tar.gz: tar xzf labs.tar.gz labs/'
[ "$(count PASS) $(count TODO) $(count FAIL)" = '13 1 4' ] || fail "six exercises at once"
sed -n '/^note:/,/^[A-Z]/p' "$work/log" | tr -s '\n ' '  ' >"$work/notes"
for words in '2_shuffle (copy).c is ignored' '9B_column_shard.c is ignored' \
    'answers.txt: missing: restore it'; do
    grep -qF -- "$words" "$work/notes" || fail "no note '$words'"
done
[ "$(grep -E '^(PASS|FAIL|TODO)' "$work/log" | grep -cE '^TODO  [0-9]+_[0-9]_')" = 26 ] ||
    fail "without answers.txt: expected 26 TODO"
awk '/^(PASS|FAIL|TODO)  [0-9]+_[0-9]_/ { seen = 1; print $3, index($0, "/") } ' "$work/log" |
    sort -u | wc -l | grep -qx 1 || fail "the answers' points are in several columns"
rm "$exercises/2_shuffle (copy).c" $exercises/9B_column_shard.c

tar -C "$OLDPWD" -cf - --mtime=2000-01-01 lab1_gd/exercises | tar -xf - # stubs over a finished tree
check
[ "$(count TODO)" = 18 ] || fail "stubs unpacked over a finished tree: expected 18 TODO"

echo 'this is not C' >>lab2_ddp/3_train.c # a program that a check judges
make check LAB=lab2 ONLY=3_train >"$work/log" 2>&1 || true
[ "$(count FAIL) $(count TODO)" = '1 8' ] || fail "a broken trainer: expected 1 FAIL, 8 TODO"
expect FAIL 'step 1' 'does not compile: lab2_ddp/3_train.c:'

# Only what is asked for is built: one check of one lab; and no kernels where no GPU is.
mkdir "$work/fresh"; cp -r build/{config.mk,probe} "$work/fresh/"
would() { make -n --no-print-directory BUILD="$work/fresh" HAVE_CUDA=1 "$@" 2>/dev/null; }
would check ONLY=1A_gradient >"$work/log"
grep -q 'check/1a_gradient' "$work/log" && ! grep -q 'lab[23]_' "$work/log" ||
    fail "make check ONLY=1A_gradient builds what it does not need"
ls /dev/nvidia* >/dev/null 2>&1 || ! grep -q NVCC "$work/log" || fail "kernels without a GPU"
would check ONLY=1a DEVICE=cuda >"$work/log"
grep -q 'labs_gpu.so' "$work/log" || fail "DEVICE=cuda does not build the part for GPUs"
would "$work/fresh/libcommon.a" | grep -q 'labs_gpu.so' || fail "other goals build no GPU part"
echo "ok: one line each, and by content"
