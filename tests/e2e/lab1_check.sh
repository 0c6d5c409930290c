#!/usr/bin/env bash
# Lab 1's self-check: every line PASS on the reference, none on the stubs, and FAIL on typical mistakes. The program shows its pictures either way.
# seconds: 300
# sanitizers: no
set -u
exercises=13 points=100
work=$(mktemp -d)
fail() { echo "$*"; exit 1; }
"$BUILD/sol/lab1_gd/check" >"$work/sol" || fail "the reference does not pass: $(cat "$work/sol")"
[ "$(grep -c '^PASS  ' "$work/sol")" = $exercises ] && grep -q "^$points of $points points\$" "$work/sol" || fail "expected $exercises PASS: $(cat "$work/sol")"
"$BUILD/student/lab1_gd/check" >"$work/stub"; [ $? = 1 ] || fail "the stubs' check should exit 1"
[ "$(grep -c '^TODO  ' "$work/stub")" = $exercises ] && ! grep -q '^PASS' "$work/stub" || fail "expected $exercises TODO: $(cat "$work/stub")"

# Each mistake makes its own line FAIL, and no other (but for `also` lines of exercises that call it). What it does not touch is compiled once.
compile() { "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Icommon -Ilab1_gd -c "$1" -o "$2"; }
mkdir -p "$work/right" "$work/rest"
for file in lab1_gd/solution/*.c; do compile "$file" "$work/right/$(basename "$file" .c).o" || fail "$file"; done
for file in lab1_gd/linear.c lab1_gd/check*.c common/exercise.c common/child.c common/timer.c common/check.c common/start*.c common/rng.c; do
    compile "$file" "$work/rest/$(basename "$(dirname "$file")")_$(basename "$file" .c).o" || fail "$file"
done
try() { # number, file, sed expression, exercise[, also]
    local m=$work/mistake-$1
    mkdir "$m"; cp "$work"/right/*.o "$m/"
    sed "$3" "lab1_gd/solution/$2.c" >"$m/$2.c"
    cmp -s "$m/$2.c" "lab1_gd/solution/$2.c" && fail "$2: $3 changed nothing"
    compile "$m/$2.c" "$m/$2.o" && "${CC:-cc}" "$m"/*.o "$work"/rest/*.o -lm -o "$m/check" || fail "$2: does not compile"
    "$m/check" >"$m/log"
    grep -q "^FAIL  $4 " "$m/log" && [ "$(grep -c '^PASS' "$m/log")" = $((exercises - 1 - ${5:-0})) ] || fail "$2 with $3: expected FAIL of $4 alone: $(cat "$m/log")"
    rm -r "$m"
}
mistakes=0
mistake() { mistakes=$((mistakes + 1)); printf '%s\0' $mistakes "$1" "$2" "$3" "${4:-0}" >>"$work/mistakes"; }
mistake gradient 's|/ n;|;|' gradient
mistake gradient 's|2 \* error;|error;|; s|+= 2 \* error / n|+= error / n|' gradient
mistake gradient 's|error \* x\[i\]|error|' gradient
mistake gradient 's|i < n|i < n - 1|' gradient
mistake update 's|\*w -=|*w +=|' update
mistake update 's|\*b -= rate \* db|*b -= rate * dw|' update
mistake converged 's|now <= before \&\& ||' converged
mistake converged 's/ || before == 0//' converged
mistake converged 's|count <= window|count < window|' converged
mistake converged 's|count - 1 - window|count - window|' converged
mistake gradient 's|\*dw = \*db = 0;|for (;;) ;|' gradient 1
mistake gradient 's|\*dw = \*db = 0;|*(volatile int *)0 = 0;|' gradient 1
mistake shuffle 's|rng_below(r, i + 1)|rng_below(r, n)|' shuffle
mistake shuffle 's|rng_below(r, i + 1)|rng_below(r, i)|' shuffle
mistake shuffle 's|i > 0; i--|i > 1; i--|' shuffle
mistake shuffle 's|int i = n - 1|int i = n|' shuffle
mistake shuffle 's|order\[j\] = kept|order[j] = order[i]|' shuffle
mistake shuffle 's|for (int i = n - 1|Rng own = rng_at(1, RNG_TEST, 0, 0); for (int i = n - 1|; s|rng_below(r|rng_below(\&own|' shuffle
mistake shuffle 's|for (int i = n - 1|Rng copy = *r; for (int i = n - 1|; s|rng_below(r|rng_below(\&copy|' shuffle
mistake shuffle 's|(int)rng_below(r, i + 1)|(int)(random() % (i + 1))|; s|^#include|#include <stdlib.h>\n#include|' shuffle
mistake minibatch_epoch 's|first < n; first|first + batch <= n; first|' minibatch_epoch
mistake minibatch_epoch 's|n - first < batch ? n - first : batch|batch|' minibatch_epoch
mistake minibatch_epoch 's|batch_y, size, |batch_y, batch, |' minibatch_epoch
mistake minibatch_epoch 's|dw, db, rate);|dw, db, rate * size / batch);|' minibatch_epoch
mistake minibatch_epoch 's|order\[first + i\]|first + i|g' minibatch_epoch
mistake minibatch_epoch 's|for (int first|double v = *w, c = *b; for (int first|; s|size, \*w, \*b);$|size, v, c);|; s|report(state, first, size, v, c)|report(state, first, size, *w, *b)|' minibatch_epoch
mistake minibatch_epoch 's|report(.*||' minibatch_epoch
mistake filter_normalize 's|sqrt(ww / dd)|ww / dd|' filter_normalize
mistake filter_normalize 's|dd > 0 ? sqrt(ww / dd) : 0|sqrt(ww / dd)|' filter_normalize
mistake filter_normalize 's|sqrt(ww / dd)|1 / sqrt(dd)|' filter_normalize
mistake filter_normalize 's|d += size, w += size|d += size|' filter_normalize
mistake plane_coordinates 's|xy += .*|xy = 0;|' plane_coordinates
mistake plane_coordinates 's|yv \* xx - xv \* xy|yv * xx + xv * xy|' plane_coordinates
mistake plane_coordinates 's|return sqrt(rest)|return rest|' plane_coordinates
mistake plane_coordinates 's|v\[i\] - \*a \* x\[i\] - \*b \* y\[i\]|v[i] - *a * x[i]|' plane_coordinates
mistake busy 's|reach = fmin(reach, to);||' busy
mistake busy 's|fmax(reach, end\[i\])|end[i]|' busy
mistake busy 's|now = from;|now = 0;|' busy
mistake pipeline_turn 's|micro_batches - 1 - (tick|(tick|' pipeline_turn
mistake pipeline_turn 's| - (stages - 1 - stage)||' pipeline_turn
mistake pipeline_turn 's/micro < 0 || //' pipeline_turn
mistake column_shard 's|(rank < more ? rank : more)|more|' column_shard
mistake column_shard 's| + (rank < more)||' column_shard
mistake time_per_update 's|1 / (seconds\[i\] \* seconds\[i\])|1|' time_per_update
mistake time_per_update 's|1 / (seconds\[i\] \* seconds\[i\])|1 / seconds[i]|' time_per_update
mistake time_per_update 's|y - \*c \* x|y - *c|' time_per_update
mistake needed_examples 's|target <= gamma ? INFINITY : ||' needed_examples
mistake needed_examples 's|1 / beta|-1 / beta|' needed_examples
mistake needed_examples 's|(target - gamma)|target|' needed_examples
mistake training_days 's|/ 86400|/ 3600|' training_days
mistake training_days 's|flop_per_second \* devices|flop_per_second|' training_days
mistake training_days 's|examples \* epochs|examples|' training_days
export -f try compile fail; export work exercises
xargs -0 -n 5 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mistakes" ||
    fail "the mistakes above were not found as expected"
echo "$mistakes mistakes found"

HEADLESS=1 "$BUILD/student/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1; [ $? = 77 ] || fail "with the stubs: expected exit 77"
grep -q 'TODO in lab1_gd/gradient.c, line' "$work/log" || fail "the stub's file and line are not said: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" >"$work/log" 2>&1 || fail "the reference: $(cat "$work/log")"
grep -q 'converged' "$work/log" || fail "no convergence: $(cat "$work/log")"
HEADLESS=1 "$BUILD/sol/lab1_gd/1_gradient_descent" --out "$work" --rate 0.4 >"$work/log" 2>&1
grep -q 'diverged' "$work/log" || fail "a rate above the limit should diverge: $(cat "$work/log")"
if grep -qs '^HAVE_CAIRO := 1' "$BUILD/config.mk"; then
    [ "$(head -c 4 "$work/lab1_gradient_descent/descent.png" | tail -c 3)" = PNG ] || fail "no picture"
fi
cat "$work/sol"
