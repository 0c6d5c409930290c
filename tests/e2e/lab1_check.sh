#!/usr/bin/env bash
# Lab 1's self-check: every line PASS on the reference, none on the stubs, and FAIL on typical
# mistakes. The program draws its figure either way.
# seconds: 300
# sanitizers: no
set -u
exercises=13 points=100
work=$(mktemp -d)
fail() { echo "$*"; exit 1; }
common/setup/check.sh "$BUILD"/sol/lab1_gd/check/* >"$work/sol" ||
    fail "the reference does not pass: $(cat "$work/sol")"
[ "$(grep -c '^PASS  ' "$work/sol")" = $exercises ] &&
    grep -q "^$points of $points points\$" "$work/sol" ||
        fail "expected $exercises PASS: $(cat "$work/sol")"
common/setup/check.sh "$BUILD"/student/lab1_gd/check/* >"$work/stub" ||
    fail "the stubs' check should exit 0: nothing is wrong"
grep -q "^0 of $points points, $exercises to do\$" "$work/stub" ||
    fail "the sum does not say how many are to do: $(cat "$work/stub")"
[ "$(grep -c '^TODO  ' "$work/stub")" = $exercises ] && ! grep -q '^PASS' "$work/stub" ||
    fail "expected $exercises TODO: $(cat "$work/stub")"

# A check needs only its own exercise: linked here are the check, that exercise and what all checks
# use. So it passes with stubs everywhere else, and a mistake shows in its own line.
compile() { "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Icommon -Ilab1_gd -c "$1" -o "$2"; }
mkdir -p "$work/frame" "$work/checks"
for file in lab1_gd/linear/linear.c \
    common/base/{exercise,exercise_trial,child,child_alone,child_family,printable}.c \
    common/base/{timer,check,memory,number,start,start_needs,start_streams,rng}.c; do
    compile "$file" "$work/frame/$(basename "$file" .c).o" || fail "$file"
done
mkdir "$work/check"
link() { "${CC:-cc}" "$1" "$work/checks/$2.o" "$work"/frame/*.o -lm -o "$3"; }
for file in lab1_gd/check/*.c; do
    name=$(basename "$file" .c)
    compile "$file" "$work/checks/$name.o" || fail "$file"
    link "$BUILD/lab1_gd/check/$name.absent.o" "$name" "$work/check/$name" || fail "$file"
done
build() { # folder, exercise's file without .c: folder/NAME.c to folder/check/NAME
    mkdir "$1/check" "$1/trial"
    cp "$work/check/$2" "$1/check/"
    compile "$1/$2.c" "$1/$2.o" && link "$1/$2.o" "$2" "$1/trial/$2" ||
        fail "$2: does not compile"
}
alone() { # exercise's file without .c
    local m=$work/alone-$1
    mkdir "$m"; cp "lab1_gd/solution/$1.c" "$m/"
    build "$m" "$1"
    "$m/check/$1" >"$m/log" || fail "$1: does not pass by itself: $(cat "$m/log")"
    rm -r "$m"
}
for file in lab1_gd/solution/*.c; do alone "$(basename "$file" .c)"; done

try() { # number, exercise, sed expression
    local m=$work/mistake-$1 file
    file=$(basename "$(find lab1_gd/solution -regex ".*/[0-9][a-z]?_$2\.c")" .c)
    mkdir "$m"
    sed "$3" "lab1_gd/solution/$file.c" >"$m/$file.c"
    cmp -s "$m/$file.c" "lab1_gd/solution/$file.c" && fail "$2: $3 changed nothing"
    build "$m" "$file"
    "$m/check/$file" >"$m/log"
    grep -q "^FAIL  $2 " "$m/log" || fail "$2 with $3: expected FAIL: $(cat "$m/log")"
    rm -r "$m"
}
mistakes=0
mistake() { mistakes=$((mistakes + 1)); printf '%s\0' $mistakes "$1" "$2" >>"$work/mistakes"; }
mistake gradient 's|/ n;|;|'
mistake gradient 's|2 \* error;|error;|; s|+= 2 \* error / n|+= error / n|'
mistake gradient 's|error \* x\[i\]|error|'
mistake gradient 's|i < n|i < n - 1|'
mistake update 's|\*w -=|*w +=|'
mistake update 's|\*b -= rate \* db|*b -= rate * dw|'
mistake converged 's|now <= before \&\& ||'
mistake converged 's/ || before == 0//'
mistake converged 's|count <= window|count < window|'
mistake converged 's|count - 1 - window|count - window|'
mistake gradient 's|\*dw = \*db = 0;|for (;;) ;|'
mistake gradient 's|\*dw = \*db = 0;|*(volatile int *)0 = 0;|'
mistake shuffle 's|rng_below(r, i + 1)|rng_below(r, n)|'
mistake shuffle 's|rng_below(r, i + 1)|rng_below(r, i)|'
mistake shuffle 's|i > 0; i--|i > 1; i--|'
mistake shuffle 's|int i = n - 1|int i = n|'
mistake shuffle 's|order\[j\] = kept|order[j] = order[i]|'
mistake shuffle 's|for (int i = n - 1|Rng own = rng_at(1, RNG_TEST, 0, 0); for (int i = n - 1|
    s|rng_below(r|rng_below(\&own|'
mistake shuffle 's|for (int i = n - 1|Rng copy = *r; for (int i = n - 1|
    s|rng_below(r|rng_below(\&copy|'
mistake shuffle 's|(int)rng_below(r, i + 1)|(int)(random() % (i + 1))|
    s|^#include|#include <stdlib.h>\n#include|'
mistake minibatch_epoch 's|first < n; first|first + batch <= n; first|'
mistake minibatch_epoch 's|n - first < batch ? n - first : batch|batch|'
mistake minibatch_epoch 's|batch_y, size, |batch_y, batch, |'
mistake minibatch_epoch 's|dw, db, rate);|dw, db, rate * size / batch);|'
mistake minibatch_epoch 's|order\[first + i\]|first + i|g'
mistake minibatch_epoch 's|for (int first|double v = *w, c = *b; for (int first|
    s|size, \*w, \*b);$|size, v, c);|
    s|report(context, first, size, v, c)|report(context, first, size, *w, *b)|'
mistake minibatch_epoch 's|report(.*||'
mistake filter_normalize 's|sqrt(ww / dd)|ww / dd|'
mistake filter_normalize 's|dd > 0 ? sqrt(ww / dd) : 0|sqrt(ww / dd)|'
mistake filter_normalize 's|sqrt(ww / dd)|1 / sqrt(dd)|'
mistake filter_normalize 's|d += size, w += size|d += size|'
mistake plane_coordinates 's|xy += .*|xy = 0;|'
mistake plane_coordinates 's|yv \* xx - xv \* xy|yv * xx + xv * xy|'
mistake plane_coordinates 's|return sqrt(rest)|return rest|'
mistake plane_coordinates 's|v\[i\] - \*a \* x\[i\] - \*b \* y\[i\]|v[i] - *a * x[i]|'
mistake busy 's|reach = fmin(reach, to);||'
mistake busy 's|fmax(reach, end\[i\])|end[i]|'
mistake busy 's|now = from;|now = 0;|'
mistake pipeline_turn 's|micro_batches - 1 - (tick|(tick|'
mistake pipeline_turn 's| - (stages - 1 - stage)||'
mistake pipeline_turn 's/micro < 0 || //'
mistake column_shard 's|(rank < more ? rank : more)|more|'
mistake column_shard 's| + (rank < more)||'
mistake time_per_update 's|1 / (seconds\[i\] \* seconds\[i\])|1|'
mistake time_per_update 's|1 / (seconds\[i\] \* seconds\[i\])|1 / seconds[i]|'
mistake time_per_update 's|y - \*c \* x|y - *c|'
mistake needed_examples 's|target <= gamma ? INFINITY : ||'
mistake needed_examples 's|1 / beta|-1 / beta|'
mistake needed_examples 's|(target - gamma)|target|'
mistake training_days 's|/ 86400|/ 3600|'
mistake training_days 's|flop_per_second \* devices|flop_per_second|'
mistake training_days 's|examples \* epochs|examples|'
export -f try build compile link fail; export work
xargs -0 -n 3 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mistakes" ||
    fail "the mistakes above were not found as expected"
echo "$mistakes mistakes found"

HEADLESS=1 "$BUILD/student/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1
[ $? = 77 ] || fail "with the stubs: expected exit 77"
grep -q 'TODO in lab1_gd/exercises/1a_gradient.c, line' "$work/log" ||
    fail "the stub's file and line are not printed: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1 ||
    fail "the reference: $(cat "$work/log")"
grep -q 'converged' "$work/log" || fail "no convergence: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" --rate 0.4 >"$work/log" 2>&1
grep -q 'diverged' "$work/log" || fail "a rate above the limit should diverge: $(cat "$work/log")"
if grep -qs '^HAVE_CAIRO := 1' "$BUILD/config.mk"; then
    [ "$(head -c 4 "$work/lab1_gradient_descent/descent.png" | tail -c 3)" = PNG ] ||
        fail "no figure"
fi
cat "$work/sol"
