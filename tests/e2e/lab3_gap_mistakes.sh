#!/usr/bin/env bash
# Lab 3, parts 2 to 5: each mistake in an exercise is found, and named: a sed expression changes the
# reference, and the check must print FAIL with these words.
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

a=2a_interpolate
mistake +$a 'the other way round' 's|(1 - t) \* from\[i\] + t \* to\[i\]|t * from[i] + (1 - t) * to[i]|'
mistake $a 'the step is to - from' 's|(1 - t) \* from|from|'
mistake $a 'the line goes on beyond its ends' 's|(1 - t)|(t < 0 ? 1 : 1 - t)|; s|+ t|+ (t < 0 ? 0 : t)|'
mistake $a 'it writes outside of w' 's|i < n|i <= n|'
mistake $a 'it writes nothing into w' 's|i < n|i < 0|'
mistake $a 'bit for bit: compute in double' \
    's|(float)((1 - t).*|from[i] + (float)t * (to[i] - from[i]);|'
b=2b_kendall_tau
mistake +$b 'discordant pairs count against' 's|- (both < 0)||'
mistake $b 'a pair i < j counts once' 's|int j = i + 1|int j = 0|'
mistake $b 'a thing makes no pair with itself' 's|(double)n \* (n - 1)|(double)n * n|'
mistake $b 'divide by n (n - 1) / 2 pairs' 's|2.0 \* agree|1.0 * agree|'
mistake $b 'divide by the number of pairs' 's|2.0 \* agree.*|agree;|'
mistake $b 'it counts the wrong way round' 's|(both > 0) - (both < 0)|(both < 0) - (both > 0)|'
mistake $b 'it counts for neither' 's|(both > 0)|(both >= 0)|'
mistake $b 'n < 2: there is no pair' 's|n < 2 ? NAN|n < 2 ? 0|'
mistake $b 'the order alone counts' 's|agree += .*|agree += (int)both;|'
c=3a_scaled_rate
mistake +$c "which is SCALE_LINEAR's" 's|rate \* sqrt(k)|rate * k|'
mistake $c "which is SCALE_ROOT's" 's|rate \* k;|rate * sqrt(k);|'
mistake $c 'the rate grows with the batch' 's|rate \* sqrt(k)|rate / sqrt(k)|'
mistake $c 'without the rate' 's|rate \* k|k|'
mistake $c 'a smaller batch wants a smaller rate' 's|rate \* k|rate * (k < 1 ? 1.5 : k)|'
d=3b_warm_up
mistake +$d 'has the full rate: that is number' 's|(double)updates|(double)(updates > 1 ? updates - 1 : 1)|'
mistake $d 'the warm-up begins with `from`' 's|(double)update;|(double)(update + 1);|'
mistake $d 'the warm-up begins with `from`' 's|return from + |return |'
mistake $d 'it grows on and on' 's|if (update >= updates)|if (updates == 0)|'
mistake $d 'the same increment each time' \
    's|(to - from) / (double)updates \* (double)update|(to - from) * (double)(update * update) / (double)(updates * updates)|'
mistake $d 'no warm-up: update 0 has' 's|if (update >= updates)|if (update >= updates \&\& update > 0)|'
e=3c_update_spread
mistake +$e 'is not taken away' 's|n + i\] - mean|n + i]|'
mistake $e 'divide by samples - 1' 's|(samples - 1)|samples|'
mistake $e 'it is squared like the rest' 's|rate \* rate|rate|'
mistake $e 'that of the gradients' 's|rate \* rate \* ||'
mistake $e 'the trace is their sum' 's|spread;$|spread / n;|'
mistake $e 'it is not divided by samples - 1' 's|/ (samples - 1)||'
f=4a_ghost_norm
mistake +$f 'each group has its own' 's|first += group|first += rows|; s|int end = .*count|int end = rows, count|'
mistake $f 'the last group has what is left' \
    's|first < rows; first|first + group <= rows; first|; s|for (int first = 0|group = group < rows ? group : rows; &|'
mistake $f 'divided by one less than the rows' 's|2) / count|2) / (count - 1)|'
mistake $f 'is 1e-5 added' 's|variance + 1e-5|variance|'
mistake $f 'expected 1' 's|sqrt(variance + 1e-5)|(variance + 1e-5)|'
mistake $f 'the mean' 's|(x\[at\] - mean)|x[at]|'
mistake $f 'gamma' 's|gamma\[c\] /|1 /|'
mistake $f 'beta' 's| + beta\[c\]||'
mistake $f 'it writes outside of y' 's|group < rows - first ? first + group : rows|first + group|'
g=4b_synchronise
mistake +$g 'm->stats_ranks is 1, expected 3' '/stats_ranks/d'
mistake $g 'm->stats_hook is not set' '/m->stats_hook/d'
mistake $g 'm->stats_context is NULL' '/m->stats_context/d'
mistake $g 'your hook makes no all-reduce' '/comm_all_reduce/d'
mistake $g 'with COMM_MAX: expected COMM_SUM' 's|COMM_SUM|COMM_MAX|'
mistake +$g 'm itself divides them' \
    's|^    comm_all_reduce.*|&\n    double *v = s->be->op->buffer_host(sums.buf); for (size_t i = 0; i < tensor_count(sums); i++) v[sums.at + i] /= 3;|'
mistake $g 'all-reduces in an update' 's|^    comm_all_reduce.*|&\n&|'
h=5a_noise_weights
mistake +$h 'that is sigma^2 in place of sigma' 's|sqrt(\(.*\));|\1;|'
mistake $h '1 + sigma^2 must be n / small' 's|small - 1)|small)|'
mistake $h 'or the gradient is gone' 's|(1 + sigma|(sigma|'
mistake $h 'does sigma depend on small' 's|(double)n / small - 1|(double)n - 1|'
mistake $h 'no noise at all' 's|(1 + sigma.*|1;|'
mistake $h 'for each image, in order' 's|for (int i = 0; i < n; i++)|rng_normal(r);\n    &|'
i=5b_grow_batch
mistake +$i 'one of them, not both' 's|\*rate / factor \* grown / \*batch|*rate / factor|'
mistake $i 'at most 1024 are allowed' 's|wanted < most ? (int)wanted : most|(int)wanted|'
mistake $i 'what the batch did not take up' '/\*rate = /d'
mistake $i 'round to the nearest' 's|round(|floor(|'
mistake $i 'the rate' 's|\*rate / factor|*rate|'
mistake $i 'does not grow' '/\*batch = grown/d'
j=5c_batch_warm_up
mistake +$j 'the second half has the large batch' 's|share < 0.5 \&\& ||; s|2 \* share|share|'
mistake $j 'it begins with' 's|small << now|small << (now + 1)|'
mistake $j 'already: the large' 's|2 \* share|4 * share|'
mistake $j 'above `large`' 's|: large;|: small << sizes;|'
mistake $j 'has an equal part' 's|2 \* share \* sizes|4 * share * share * sizes|'

export -f try fail; export work compile link one
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mistakes" ||
    fail "the mistakes above were not found as expected"
echo "$mistakes mistakes found"
