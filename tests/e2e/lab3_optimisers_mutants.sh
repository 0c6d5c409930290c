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
    c=$(sed -e "s|$source/$2\.c|$dir/$2.c|; s|$BUILD/$source/$2\.o|$dir/$2.o|g" <<<"$c -w -Wno-error")
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
done <<'END'
+momentum_uphill|6a_momentum|uphill|s/w\[i\] - rate/w[i] + rate/
momentum_no_decay|6a_momentum|the decay is missing|s/ \+ decay \* w\[i\]//
momentum_decay_sign|6a_momentum|decay's sign|s/g\[i\] \+ decay/g[i] - decay/
+momentum_decoupled|6a_momentum|decay is decoupled|s/ \+ decay \* w\[i\]//; s/(rate \* v\[i\])\)/\1 - rate * decay * w[i])/
+momentum_rate_inside|6a_momentum|rate is inside of v|s/v\[i\] \+ d\)/v[i] + rate * d)/; s/rate \* v/v/
momentum_damped|6a_momentum|damped by 1 - mu|s/v\[i\] \+ d\)/v[i] + (1 - mu) * d)/
momentum_none|6a_momentum|no momentum|s/mu \* v\[i\] \+ d/d/
momentum_old_v|6a_momentum|the old v|s/v\[i\] = (\(float\)[^;]*);\s*(w\[i\] = [^;]*;)/\2 v[i] = \1;/
momentum_nesterov|6a_momentum|that is Nesterov|s/rate \* v\[i\]/rate * (d + mu * v[i])/
momentum_outside|6a_momentum|outside of the layer|s/i < n/i <= n/
momentum_gradient|6a_momentum|changes the gradient|s/double d = ([^;]*);/double d = \1; ((float *)g)[i] = (float)d;/
+nesterov_plain|6b_nesterov|plain momentum \(6a\)|s/rate \* \(d \+ mu \* v\[i\]\)/rate * v[i]/
nesterov_old_v|6b_nesterov|as with the old v|s/v\[i\] = (\(float\)[^;]*);\s*(w\[i\] = [^;]*;)/\2 v[i] = \1;/
nesterov_v|6b_nesterov|v \+ mu v|s/\(d \+ mu/(v[i] + mu/
nesterov_decay|6b_nesterov|the decay is missing|s/ \+ decay \* w\[i\]//
+lars_inverted|6c_lars|upside down|s/trust \* length \/ (\(slope[^;]*)/trust * \1 \/ length/
lars_no_decay|6c_lars|decay is missing in v|s/ \+ decay \* w\[i\]//
lars_squares|6c_lars|norms are squared|s/sqrt\(sum\)/sum/
lars_mean|6c_lars|divided by the root of n|s/slope = norm\(g, n\)/slope = norm(g, n) \/ sqrt(n)/
+lars_ratio_decay|6c_lars|missing in the ratio|s/slope \+ decay \* length/slope/
lars_trust|6c_lars|trust is missing|s/trust \* length/length/
+lars_zero|6c_lars|never moves|s/local = 1/local = 0/
lars_larc|6c_lars|that is LARC|s/rate \* local/fmin(rate, local)/
lars_no_rate|6c_lars|rate is missing|s/rate \* local/local/
lars_norm|6c_lars|norm of g \+ decay w|s/(\n    if)/\n    float x[64]; for (int i = 0; i < n; i++) x[i] = g[i] + decay * w[i];\1/; s/\(slope \+ decay \* length\)/norm(x, n)/
lars_outside|6c_lars|rate is outside of v|s/rate \* local/local/; s/w\[i\] -= v/w[i] -= rate * v/
+larc_lars|6d_larc|that is LARS|s/local = rate;/local = 1;/; s/fmin\(rate, ([^;]*)\);/\1;/; s/\+ local \*/+ rate * local */
larc_larger|6d_larc|the larger of the two|s/fmin/fmax/
larc_no_min|6d_larc|there is no min|s/fmin\(rate, ([^;]*)\);/\1;/
larc_zero|6d_larc|never moves|s/local = rate/local = 0/
larc_inverted|6d_larc|upside down|s/trust \* length \/ (\(slope[^;]*\))\);/trust * \1 \/ length);/
larc_no_momentum|6d_larc|no momentum|s/mu \* v\[i\] \+ //
+adam_no_correction|6e_adam|no bias correction|s/\/ first//; s/\/ second//
adam_m|6e_adam|m has no bias|s/\/ first//
adam_s|6e_adam|s has no bias|s/\/ second//
+adam_epsilon|6e_adam|epsilon is inside|s/sqrt\(s\[i\] \/ second\) \+ o->epsilon/sqrt(s[i] \/ second + o->epsilon)/
adam_root|6e_adam|root is missing|s/sqrt\(s\[i\] \/ second\)/s[i] \/ second/
adam_exchanged|6e_adam|exchanged|s/beta1/X/g; s/beta2/beta1/g; s/X/beta2/g
adam_early_epsilon|6e_adam|before the bias correction|s/\(sqrt\(s\[i\] \/ second\) \+ o->epsilon\)/((sqrt(s[i]) + o->epsilon) \/ sqrt(second))/
+adam_coupled|6e_adam|decay is coupled|s/if \(o->decoupled\)/if (0)/
adam_decoupled|6e_adam|decay is decoupled|s/if \(o->decoupled\)/if (1)/
adam_decay_rate|6e_adam|lacks the rate|s/rate \* o->decay/o->decay/
adam_step|6e_adam|counted from 0|s/, step\)/, step - 1)/g
+lamb_inverted|6f_lamb|upside down|s/length \/ direction/direction \/ length/
lamb_gradient|6f_lamb|norm of the gradient|s/norm\(r, n\)/norm(g, n)/
lamb_no_decay|6f_lamb|decay is missing|s/ \+ o->decay \* w\[i\]//
lamb_adam|6f_lamb|missing: that is AdamW|s/rate \* ratio/rate/
lamb_zero|6f_lamb|never moves|s/: 1;/: 0;/
lamb_outside|6f_lamb|decay is outside of r|s/ \+ o->decay \* w\[i\]//; s/ratio \* r\[i\]/(ratio * r[i] + o->decay * w[i])/
lamb_correction|6f_lamb|no bias correction|s/ \/ first//; s/ \/ second//
+novograd_zero|6g_novograd|s starts at 0|s/step == 1 \? squares : //
novograd_mean|6g_novograd|divided by n|s/(double)?squares \+= ([^;]*);/squares += \2 \/ n;/
novograd_root|6g_novograd|root is missing|s/sqrt\(s\[0\]\)/s[0]/
novograd_epsilon|6g_novograd|epsilon is inside|s/sqrt\(s\[0\]\) \+ o->epsilon/sqrt(s[0] + o->epsilon)/
novograd_decay|6g_novograd|divided by the norm, too|s/g\[i\] \/ divisor \+ o->decay \* w\[i\]/(g[i] + o->decay * w[i]) \/ divisor/
novograd_damped|6g_novograd|damped by 1 - beta1|s/g\[i\] \/ divisor \+ o->decay \* w\[i\]/(1 - o->beta1) * (g[i] \/ divisor + o->decay * w[i])/
novograd_forgets|6g_novograd|s forgets|s/step == 1 \? squares : [^;]*;/squares);/
+muon_nesterov|6h_muon|step ahead is missing|s/x\[i\] = \(float\)\(\(1[^;]*;/x[i] = v[i];/
muon_damped|6h_muon|v is not damped|s/mu \* v\[i\] \+ \(1 - mu\) \* g/mu * v[i] + g/
muon_norm|6h_muon|not divided by its norm|s/x\[i\] \/ length/x[i]/
muon_squares|6h_muon|squared norm|s/sqrt\(squares\)/squares/
+muon_coefficients|6h_muon|other coefficients|s/a = 3.4445, b = -4.7750, c = 2.0315/a = 2, b = -1.5, c = 0.5/
muon_cubic|6h_muon|classical cubic|s/a = 3.4445, b = -4.7750, c = 2.0315/a = 1.5, b = -0.5, c = 0/
muon_four|6h_muon|four Newton|s/step < 5/step < 4/
muon_factor|6h_muon|rows / columns\)\) is missing|s/rate \* sqrt\([^;]*;/rate;/
muon_turned|6h_muon|exchanged in the factor|s/\(double\)rows \/ columns/(double)columns \/ rows/
muon_decay|6h_muon|decay is missing|s/ - rate \* decay \* w\[i\]//
muon_sign|6h_muon|sign of b|s/b = -4/b = 4/
+smooth_others|6i_smooth_labels|K - 1 other|s/\(k == label\[i\] \? -smoothing : 0\) \+ smoothing \/ K/(k == label[i] ? -smoothing : smoothing \/ (K - 1))/
smooth_mean|6i_smooth_labels|division by N is missing|s/change \/ N/change/
smooth_sign|6i_smooth_labels|the sign|s/- change/+ change/
smooth_label|6i_smooth_labels|comes back to it|s/\+ smoothing \/ K/+ (k == label[i] ? 0 : smoothing \/ K)/
+average_zero|6j_average_weights|the zero that average begins|s/fmin\([^;]*;/keep;/
average_exchanged|6j_average_weights|exchanged|s/k \* average\[i\] \+ \(1 - k\)/(1 - k) * average[i] + k/
average_plain|6j_average_weights|plain mean for ever|s/fmin\(keep, (.*)\);\n    for/\1;\n    for/
+seconds_divided|8a_step_seconds|not divided|s/return c->compute \+/return c->compute \/ c->devices +/
seconds_whole|8a_step_seconds|has bytes . P|s/bytes \/ P/bytes/
seconds_hidden|8a_step_seconds|no time is won|s/fmax\(0, (exchange [^)]*)\)/(\1)/
seconds_shown|8a_step_seconds|is waited for|s/fmax\(0, exchange - [^;]*;/exchange;/
seconds_share|8a_step_seconds|whole vector|s/ring\(machines, c->bytes/ring(machines, c->bytes \/ G/
seconds_half|8a_step_seconds|follow each other|s/2\.0 \* \(P - 1\)/(P - 1)/
seconds_floor|8a_step_seconds|may have fewer|s/\(c->devices \+ G - 1\) \/ G/c->devices \/ G/
average_last|6j_average_weights|the last weights|s/k = fmin[^;]*;/k = 0;/
END

export -f try
export work source parts compile link
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$(tr -cd '\0' <"$work/mutants" | wc -c | awk '{ print $1 / 4 }') mistakes"
exit $failed
