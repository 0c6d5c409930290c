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
done <<'END'
round_nearest 7a_round_stochastic +
rounded to the nearest in every draw: is u used
s/\+ u\[i\]/+ 0.5f/

round_down 7a_round_stochastic
the same in every draw: is u used
s/ \+ u\[i\]//

round_centred 7a_round_stochastic
all are too large: is 0.5 added to u|not beside
s/\+ u\[i\]/+ u[i] + 0.5f/

round_cast 7a_round_stochastic +
a cast to int round them towards 0
s/\(int\)\(g\[i\] \* step \+ \(float\)L \+ u\[i\]\)/(int)(g[i] * step + u[i]) + L/

round_largest 7a_round_stochastic
the scale is 1, the largest element, not the largest magnitude
s/scale = fabsf[^;]*;/scale = g[i] > scale ? g[i] : scale;/

round_zeros 7a_round_stochastic
a bucket of zeros: .*expected L|element .* gets code
s/scale > 0 \? (.*) : 0;/\1;/

round_levels 7a_round_stochastic
which is not in 0
s/\(1 << \(bits - 1\)\) - 1/(1 << bits) - 1/

round_beyond 7a_round_stochastic
rounded up beyond the scale
s/k < 2 \* L \? k : 2 \* L/k/

round_half 7a_round_stochastic
biased|scale is
s/return scale;/return scale \/ 2;/

round_reversed 7a_round_stochastic
are signs reversed
s/g\[i\] \* step/-g[i] * step/

round_last 7a_round_stochastic
which is not in 0|expected
s/(simd\n    for \(int i = 0; i < )n/\1n - 1/

round_outside 7a_round_stochastic
outside of code
s/(simd\n    for \(int i = 0; i < n); i\+\+\) \{/\1 + 1; i++) {/

round_twice 7a_round_stochastic
biased
s/\+ u\[i\]/+ 0.5f * u[i]/

ternary_not_clipped 7b_ternary +
is nothing clipped
s/fminf\(most, [^;]*;/most;/

ternary_no_most 7b_ternary
more than the largest magnitude
s/fminf\(most, (clip [^;]*)\);/\1;/

ternary_sum 7b_ternary
sum of g² in place of the mean|scale is
s/squares \/ \(float\)n/squares/

ternary_square 7b_ternary
sigma²
s/sqrtf\((squares \/ \(float\)n)\)/\1/

ternary_clip 7b_ternary
is nothing clipped
s/clip \* sqrtf\([^;]*\);/clip);/

ternary_inverse 7b_ternary
probability 1 - .g. / scale
s/some = u\[i\] \* scale < /some = u[i] * scale >= /

ternary_nearest 7b_ternary +
the same in every draw: is u used
s/u\[i\] \* scale/0.5f * scale/

ternary_signs 7b_ternary
are signs reversed
s/1 - some : 1 \+ some/1 + some : 1 - some/

ternary_positive 7b_ternary
is read as
s/g\[i\] < 0 \? 1 - some : 1 \+ some/1 + some/

ternary_zeros 7b_ternary
a bucket of zeros, u
s/scale < fabsf/scale <= fabsf/

one_bit_sign_bit 7c_one_bit +
-0.0 is not negative
s/bit = g\[i\] >= 0/bit = !__builtin_signbit(g[i])/

one_bit_zero 7c_one_bit
0 is not negative
s/bit = g\[i\] >= 0/bit = g[i] > 0/

one_bit_empty 7c_one_bit
is it divided by 0
s/positive < n \? below/n ? below/; s/positive > 0 \? above/n ? above/

one_bit_all 7c_one_bit +
mean of all magnitudes
s/value\[0\] = [^;]*;/value[0] = (below - above) \/ n;/; s/value\[1\] = [^;]*;/value[1] = -value[0];/

one_bit_sums 7c_one_bit
that is their sum
s/ \/ \(float\)positive//

one_bit_share 7c_one_bit
divided by the number of all
s/\/ \(float\)positive/\/ (float)n/

one_bit_sign_lost 7c_one_bit
its sign is lost
s/value\[0\] = positive/value[0] = -1 * (float)(positive/; s/positive\) : 0;/positive) : 0);/

feedback_forgotten 7d_exchange_with_feedback +
is the residual forgotten
s/g\[i\] \+= e\[i\]/g[i] += 0/

feedback_twice 7d_exchange_with_feedback
residual added twice
s/g\[i\] \+= e\[i\]/g[i] += 2 * e[i]/

feedback_minus 7d_exchange_with_feedback
but g - e
s/g\[i\] \+= e\[i\]/g[i] -= e[i]/

feedback_not_kept 7d_exchange_with_feedback +
is the residual kept
s/    r->residual\(r, e, g\);\n//

feedback_of_mean 7d_exchange_with_feedback
residual comes after exchange
s/    r->residual\(r, e, g\);\n(.*exchange\(r, g\);)/\1\n    r->residual(r, e, g);/

feedback_before 7d_exchange_with_feedback
residual comes before compress
s/    r->compress\(r, g\);\n(.*residual\(r, e, g\);)/\1\n    r->compress(r, g);/

feedback_of_gradient 7d_exchange_with_feedback
what is left of g alone
s/r->residual\(r, e, g\);/float old[64]; for (int i = 0; i < r->n; i++) old[i] = e[i]; r->residual(r, e, g); for (int i = 0; i < r->n; i++) e[i] -= old[i];/

feedback_added_up 7d_exchange_with_feedback
old residual plus the new
s/r->residual\(r, e, g\);/float old[64]; for (int i = 0; i < r->n; i++) old[i] = e[i]; r->residual(r, e, g); for (int i = 0; i < r->n; i++) e[i] += old[i];/

feedback_sign 7d_exchange_with_feedback
its sign is wrong
s/r->residual\(r, e, g\);/r->residual(r, e, g); for (int i = 0; i < r->n; i++) e[i] = -e[i];/

feedback_alone 7d_exchange_with_feedback
exchange is not called
s/    r->exchange\(r, g\);\n//

feedback_in_mean 7d_exchange_with_feedback
residual added to the mean
s/r->exchange\(r, g\);/r->exchange(r, g); for (int i = 0; i < r->n; i++) g[i] += e[i];/

top_ties 7e_top_k +
elements are written, expected k
s/ && equal-- > 0//

top_no_ties 7e_top_k
as large as the k-th left out
s/ \|\| \(fabsf\(a\[i\]\) == least && equal-- > 0\)//

top_signed 7e_top_k +
by magnitude|is not chosen
s/if \(fabsf\(a\[i\]\) > least/if (a[i] > least/

top_magnitudes 7e_top_k
its sign is lost
s/top->value\[count\+\+\] = a\[i\]/top->value[count++] = fabsf(a[i])/

top_last 7e_top_k
expected the lowest indices
s/for \(int i = 0; i < n; i\+\+\)\n        if/int ties = 0; for (int i = 0; i < n; i++) ties += fabsf(a[i]) == least; int skip = ties - equal; for (int i = 0; i < n; i++)\n        if/; s/equal-- > 0/skip-- <= 0/

top_one_less 7e_top_k
count is|expected k
s/k - larger/k - larger - 1/

top_count 7e_top_k
count is
s/    top->count = count;\n//

corrected_no_mask 7f_exchange_corrected +
momentum factor masking
s/u\[r->at\[k\]\] = v/v/

corrected_sent_twice 7f_exchange_corrected
it would be sent twice
s/ = v\[r->at\[k\]\] = 0/ = 0/

corrected_velocity 7f_exchange_corrected +
that is the velocity alone
s/v\[i\] \+= u\[i\]/v[i] = u[i]/

corrected_no_momentum 7f_exchange_corrected
without momentum
s/momentum \* u\[i\] \+ g/g/

corrected_lost 7f_exchange_corrected
is lost
s/for \(int k = 0; k < r->kept; k\+\+\)\n *u\[r->at\[k\]\] = v\[r->at\[k\]\] = 0;/for (int i = 0; i < r->n; i++) v[i] = 0;/

corrected_all_masked 7f_exchange_corrected
is lost
s/for \(int k = 0; k < r->kept; k\+\+\)\n *u\[r->at\[k\]\] = v\[r->at\[k\]\] = 0;/for (int i = 0; i < r->n; i++) u[i] = v[i] = 0;/

corrected_gradient 7f_exchange_corrected
without momentum|gradient alone|velocity alone|expected v
s/compress\(r, v\)/compress(r, g)/

corrected_index 7f_exchange_corrected
was not sent, and v is 0|was sent
s/u\[r->at\[k\]\] = v\[r->at\[k\]\] = 0/u[k] = v[k] = 0/

sparse_twice 7g_sparse_add +
is there twice
s/x->at\[i\] <= y->at/x->at[i] < y->at/

sparse_overwrite 7g_sparse_add
.s alone
s/(\(from_x \? x->value\[i\] : 0\)) \+ \(from_y/\1 + (from_y \&\& !from_x/

sparse_mean 7g_sparse_add
the mean, not the sum
s/\(from_x \? x->value\[i\] : 0\) \+ \(from_y \? y->value\[j\] : 0\)/((from_x ? x->value[i] : 0) + (from_y ? y->value[j] : 0)) \/ 2/

sparse_rest 7g_sparse_add +
left of the longer one forgotten|it returns true: expected false
s/i < x->count \|\| j < y->count/i < x->count \&\& j < y->count/

sparse_most 7g_sparse_add
so many are fine
s/count == most/count == most - 1/

sparse_early 7g_sparse_add
indices that both have count once
s/int i = 0,/if (x->count + y->count > most) return false; int i = 0,/

sparse_never 7g_sparse_add
expected false|outside of sum
s/        if \(count == most\)\n            return false;\n//

sparse_no_count 7g_sparse_add
the sum has
s/    sum->count = count;\n//

rank_no_mean 7h_low_rank +
the mean over the ranks is never taken
s/    mean\([^;]*;\n//

rank_mean_late 7h_low_rank
orthonormal before, not after
s/    mean\([^;]*;\n//; s/(    transposed)/    mean(context, p, rows * rank);\n\1/

rank_both_means 7h_low_rank
mean is called 2 times
s/rank\);\n\}/rank); mean(context, q, columns * rank);\n}/

rank_not_orthogonal 7h_low_rank +
are not orthogonal
s/j < k; j/j < 0; j/

rank_one_projection 7h_low_rank
are not orthogonal
s/int j = 0; j < k/int j = k > 0 ? k - 1 : 0; j < k/

rank_no_length 7h_low_rank
has length
s/length > 1e-20f \? x\[i\] \/ length : 0/x[i]/

rank_zeros 7h_low_rank
divided by its length 0
s/length > 1e-20f \? x\[i\] \/ length : 0/x[i] \/ length/

rank_old_q 7h_low_rank
still that of the update before
s/    transposed_times[^;]*;\n//

rank_length_first 7h_low_rank
has length|not orthogonal
s/(for \(int j = 0; j < k)/make_unit(p + k * rows, rows); \1/; s/(rows, rows\);\n *)make_unit\(p \+ k \* rows, rows\);/\1/

pays_single 7i_pays_below +
compares single updates
s/plain.updates \* plain/plain/g; s/remedy.updates \* remedy/remedy/g

pays_negative 7i_pays_below +
not negative
s/ \|\| bytes <= 0//; s/seconds > 0 \? (.*) : INFINITY/\1/

pays_never_reached 7i_pays_below
it never reaches the target
s/!isfinite\(remedy.updates\) \|\| bytes <= 0/bytes == 0/

pays_bits 7i_pays_below
in bit/s
s/bytes \/ seconds/8 * bytes \/ seconds/

pays_inverse 7i_pays_below
seconds per byte
s/bytes \/ seconds/seconds \/ bytes/

pays_always 7i_pays_below
fewer bytes, and fewer seconds|half the updates
s/: INFINITY/: 0/

pays_above 7i_pays_below
pays above, not below|five times the updates
s/ \|\| bytes <= 0//
END

# Some of them wait: run more at once than there are cores.
export -f try
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$mutants mutants, $tried tried"
[ "$failed" = 0 ] && [ "$mutants" = 80 ]
