#!/usr/bin/env bash
# ranks: 0
# seconds: 600
# sanitizers: no
# The checks of lab 2's parts 8 and 9 find each mistake and say what it is: a sed expression (-z:
# over several lines) changes the reference, and the check must print FAIL with the expected words.
# Every fourth of them; MUTANTS=all: all.
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_lab2_programs.sh
tried=0 failed=0 number=0

try() { # name, exercise, words (a pattern), sed expression
    local dir=$work/$1 from=$source/$2.c line
    mkdir "$dir"
    sed -zE "$4" "$from" >"$dir/$2.c" || return 1
    if cmp -s "$from" "$dir/$2.c"; then echo "the expression changes nothing"; return 1; fi
    build_changed "$dir" "$2" || { cat "$dir/make.log"; return 1; }
    TMPDIR=$dir timeout --kill-after=5 60 "$dir/check/$2" >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    grep -qE -- "$3" <<<"$line" || { echo "expected '$3': $(cat "$dir/check.log")"; return 1; }
    echo "ok    $1: $line"
    rm -rf "$dir"
}

while read -r name exercise && read -r words && read -r expression; do
    read -r || true
    number=$((number + 1))
    [ "${MUTANTS-}" = all ] || [ $((number % 4)) = 1 ] || continue
    tried=$((tried + 1))
    try "$name" "$exercise" "$words" "$expression" ||
        { echo "FAIL  $name"; failed=$((failed + 1)); }
done <<'END'
due_from_0 8a_local_due
does the count begin at 0
s/\(step - plain\) % every == 0/(step - 1 - plain) % every == 0/

due_early 8a_local_due
one too early
s/\(step - plain\) % every == 0/(step + 1 - plain) % every == 0/

due_no_last 8a_local_due
all ranks must end with one network
s/step == steps \|\| //

due_plain_short 8a_local_due
one of the first .plain. updates, the second
s/step <= plain/step < plain \/ 2 + 1/

due_plain_missing 8a_local_due
one of the first .plain. updates
s/step <= plain \|\| /step == plain || /

due_absolute 8a_local_due
counts from the end of the plain updates
s/\(step - plain\) % every/step % every/

due_never 8a_local_due
.every. updates are made
s/\(step - plain\) % every == 0/false/

delayed_mean 8b_delayed_average
own updates since it sent are lost
s/w\[i\] \+= mean\[i\] - sent\[i\]/w[i] = mean[i]/

delayed_half 8b_delayed_average
half the mean, half the rank's own
s/w\[i\] \+= mean\[i\] - sent\[i\]/w[i] = (w[i] + mean[i]) \/ 2/

delayed_sign 8b_delayed_average
moves away from the mean
s/\+= mean\[i\] - sent\[i\]/-= mean[i] - sent[i]/

delayed_add 8b_delayed_average
what was sent must go
s/\+= mean\[i\] - sent\[i\]/+= mean[i]/

delayed_back 8b_delayed_average
own updates are taken back
s/w\[i\] \+= mean\[i\] - sent\[i\]/w[i] = mean[i] - (w[i] - sent[i])/

delayed_nothing 8b_delayed_average
is w changed in place
s/w\[i\] \+= mean\[i\] - sent\[i\]/(void)w/

delayed_long 8b_delayed_average
outside of w
s/i < n/i <= n/

outer_uphill 8c_outer_step
goes away from the ranks' weights
s/start\[i\] -=/start[i] +=/

outer_heavy_ball 8c_outer_step
a step by v alone
s/delta\[i\] \+ momentum \* v\[i\]\)\)/v[i]))/

outer_old_v 8c_outer_step
with the old v
s/(v\[i\] = [^;]*;)(\s*)(start[^;]*;)/\3 \1/

outer_no_momentum 8c_outer_step
without momentum: is v kept
s/rate \* \(delta\[i\] \+ momentum \* v\[i\]\)/rate * delta[i]/

outer_damped 8c_outer_step
v takes \(1 - momentum\) delta
s/v\[i\] \+ delta\[i\]\);/v[i] + (1 - momentum) * delta[i]);/

outer_rate_in_v 8c_outer_step
the rate is in v already
s/v\[i\] \+ delta\[i\]\);/v[i] + rate * delta[i]);/;s/rate \* \(delta\[i\] \+ momentum \* v\[i\]\)/(rate * delta[i] + momentum * v[i])/

sparse_delta_only 8d_sparse_delta
what waits in the residual counts
s/fabsf\(residual\[i\]\), i\}/fabsf(delta[i]), i}/

sparse_signed 8d_sparse_delta
negative ones too
s/\(Element\)\{fabsf\(residual\[i\]\)/(Element){residual[i]/

sparse_order 8d_sparse_delta
in rising order
s/    qsort\(e, k, sizeof \*e, rising\);\n//

sparse_keeps 8d_sparse_delta
take off what was sent
s/        residual\[at\[i\]\] -= value\[i\];\n//

sparse_clears 8d_sparse_delta
what rounding took away waits
s/residual\[at\[i\]\] -= value\[i\]/residual[at[i]] = 0/

sparse_no_rounding 8d_sparse_delta
is not rounded
s/two_bits \? [^:]*: //

sparse_threshold 8d_sparse_delta
m where .* is 3m.4 or more
s/0\.75f/0.5f/

sparse_no_sign 8d_sparse_delta
wrong sign
s/copysignf\((.*), x\)/(\1)/

sparse_decays_delta 8d_sparse_delta
the decay is for the old residual
s/decay \* residual\[i\] \+ delta\[i\]/decay * (residual[i] + delta[i])/

sparse_no_decay 8d_sparse_delta
the decay is missing
s/decay \* residual/residual/

serve_first_in_queue 9a_serve_next
not the first in the queue
s/first < 0 \|\| earlier/first < 0 \&\& earlier/

serve_latest 9a_serve_next
the first to arrive
s/a->at < b->at/a->at > b->at/

serve_drops_old 9a_serve_next
a gradient of old weights counts
s/wait_for > 1 && //

serve_uses_late 9a_serve_next
came too late, and does not count
s/wait_for > 1 && queue\[i\]\.version < version/false/

serve_impatient 9a_serve_next
a gradient is missing, so wait
s/return 0;/return count;/

serve_worker 9a_serve_next
a worker: write its index
s/use\[count\] = first;/use[count] = queue[first].worker;/

serve_tie 9a_serve_next
the lower worker first
s/a->worker < b->worker/a->worker > b->worker/

stale_ignored 9b_apply_stale
an old gradient counts like a new one
s/aware \? [^:]*: 1/1/

stale_always 9b_apply_stale
although aware is false
s/aware \? ([^:]*): 1/\1/

stale_integers 9b_apply_stale
in integers is 0
s/1\.0 \/ /1 \/ /

stale_division 9b_apply_stale
c is 1 / staleness
s/\(1 \+ staleness\)/staleness/

stale_step 9b_apply_stale
scales the whole step
s/c \* g\[i\]/g[i]/;s/rate \* v/c * rate * v/

stale_old_v 9b_apply_stale
uses the old v
s/(v\[i\] = [^;]*;)(\s*)(w\[[^;]*;)/\3 \1/

stale_uphill 9b_apply_stale
uphill
s/w\[i\] -=/w[i] +=/

expected_inverse 9c_expected_staleness
each of the others sends 4
s/period\[worker\] \/ period\[i\]/period[i] \/ period[worker]/

expected_itself 9c_expected_staleness
its own does not count|nobody else makes an update
s/i == worker \? 0 : //

expected_workers 9c_expected_staleness
nobody else makes an update
s/workers - 1;/workers;/

expected_whole 9c_expected_staleness
a quarter of a gradient
s/period\[worker\] \/ period\[i\]/(int)(period[worker] \/ period[i])/

END
echo "$tried of $number mistakes tried, $failed not named"
[ $tried -gt 0 ] && [ $failed = 0 ]
