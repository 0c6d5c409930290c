#!/usr/bin/env bash
#
# seconds: 600
# sanitizers: no
# Lab 2, part 10: on 4 ranks every figure of memory and bytes is counted as predicted (2 %), all
# stages end with the weights of plain data parallelism (the same bits on 1 and 2 ranks), parts give
# the same gradient, pieces the same to rounding; each check names planted mistakes; the stub.
set -eu
program=$BUILD/sol/lab2_ddp/10_shard
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
. tests/e2e/_lab2_programs.sh
fail() { echo "wrong: $*"; tail -n 30 "$work/log"; exit 1; }
export HEADLESS=1
small="--data synthetic --hidden 60,33 --batch 4 --updates 2 --deep resnet8 --deep-batch 4"
launch() { # ranks, program, options…
    local ranks=$1 program=$2
    shift 2
    # shellcheck disable=SC2086  # $small is words
    common/setup/launch.sh --np "$ranks" "$program" --out "$work/out" $small "$@" \
        >"$work/log" 2>&1
}

launch 4 "$program" || fail "on 4 ranks"
[ -s "$work/out/lab2_shard/shard.png" ] || grep -q Cairo "$work/log" || fail "no figure"
# what,ranks,micro, params and predicted, grads, state, activations, all, wire, seconds, difference
awk -F, '
    function off(a, b) { return a > 1.02 * b + 1 || a < 0.98 * b - 1 }
    NR == 1 { next }
    /^(plain|ZeRO)/ {
        stages++
        for (i = 4; i <= 14; i += 2) if (off($i, $(i + 1))) { print "column " i ": " $0; bad = 1 }
        if (!($17 <= ($2 <= 2 ? 0 : 1e-6))) { print "weights: " $0; bad = 1 }
        if ($1 == "ZeRO 2" && $2 == 4) two[$3] = $17
        if ($1 == "ZeRO 3" && $2 == 4 && two[$3] != $17) { print "2 and 3 differ"; bad = 1 }
        next
    }
    { savings++
      if (off($10, $11)) { print "activations: " $0; bad = 1 }
      if (!($17 <= (/^computed/ ? 0 : 1e-5))) { print "gradient: " $0; bad = 1 } }
    END { if (stages != 20 || savings < 8) { print stages, savings; bad = 1 }; exit bad }
' "$work/out/lab2_shard/metrics.csv" || fail "the table"
launch 1 "$program" --hidden 1024,1024 --batch 16 --deep resnet20 --deep-batch 16 ||
    fail "on one rank"
awk -F, 'NR > 1 { rows++; if (!($16 > 0.0003)) { print "seconds: " $0; bad = 1 } }
    END { exit bad || rows < 20 }' "$work/out/lab2_shard/metrics.csv" ||
    fail "one rank's clock does not count what it computes"
launch 4 "$program" --updates 5000 && fail "5000 updates are taken"
launch 1 "$program" --model mlp --hidden 0 && fail "--hidden 0 is taken"
status=0
launch 2 "$BUILD/student/lab2_ddp/10_shard" || status=$?
[ $status = 77 ] || fail "the stub: exit $status"
grep -qE 'to do: TODO in lab2_ddp/exercises/10a_rank_costs.c, line [0-9]+' "$work/log" ||
    fail "the stub names no exercise"

# ---- planted mistakes: name, exercise | words | a sed expression (-z) on the reference ----
try() {
    local dir=$work/$1 line
    mkdir "$dir"
    sed -zE "$4" "$source/$2.c" >"$dir/$2.c"
    ! cmp -s "$source/$2.c" "$dir/$2.c" || { echo "FAIL $1: changes nothing: $4"; return 1; }
    build_changed "$dir" "$2" ||
        { echo "FAIL $1: does not compile"; cat "$dir/make.log"; return 1; }
    TMPDIR=$dir timeout 60 "$dir/check/$2" >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    grep -qE -- "$3" <<<"$line" ||
        { echo "FAIL $1: expected '$3':"; cat "$dir/check.log"; return 1; }
    echo "ok    $1: $line"
    rm -rf "$dir"
}
export -f try
tr '\n' '\0' <<'END' >"$work/mutants"
costs_elements
10a_rank_costs
parameters: .*are that elements
s/4 \* n, 4 \* n, 4 \* n \* states/n, n, n * states/
costs_unpadded
10a_rank_costs
is the padding missing
s/ceil\(\(double\)count\[i\] \/ P\)/(double)count[i] \/ P/
costs_no_layer
10a_rank_costs
stage 2.*gradients.*one layer missing
s/4 \* whole, 4 \* \(shards \+ largest\)/4 * whole, 4 * shards/
costs_no_layer_3
10a_rank_costs
stage 3.*parameters.*one layer missing
s/4 \* \(shards \+ largest\), 4 \* \(shards/4 * shards, 4 * (shards/
costs_state_whole
10a_rank_costs
stage 1.*from stage 1 on the state is sharded
s/4 \* whole, 4 \* whole, 4 \* shards/4 * whole, 4 * whole, 4 * whole/
costs_state_one
10a_rank_costs
times the number of state vectors
s/4 \* n \* states/4 * n/
costs_ring
10a_rank_costs
a ring sends
s/4 \* whole \* \(P - 1\) \/ P/4 * whole/
costs_two
10a_rank_costs
stage 3.*sent
s/3 \* micro/2 * micro/
costs_micro
10a_rank_costs
stage 2.*2 micro-batches.*sent
s/\(micro \+ 1\)/2/
shard_floor
10b_shard_of
rounded down
s/\(count \+ P - 1\) \/ P/count \/ P/
shard_negative
10b_shard_of
never below 0
s/left < 0 \? 0 : //
shard_padding
10b_shard_of
padding behind the last
s/left < 0 \? 0 : left < each \? left : each/each/
shard_overflow
10b_shard_of
begins at|owns
s/rank \* each/rank * (each - 1)/
reduce_sum
10c_shard_reduce
the sum over the ranks, not the mean
s/    z->be->op->scale[^;]*;//
reduce_integers
10c_shard_reduce
0 in integers
s/1.0f \/ \(float\)z->comm->size/1 \/ z->comm->size/
reduce_twice
10c_shard_reduce
divided by the number of ranks once more
s/1.0f \/ \(float\)z->comm->size/1.0f \/ (z->comm->size * z->comm->size)/
reduce_keeps
10c_shard_reduce
still in memory
s/    if \(z->stage[^;]*;//
reduce_frees
10c_shard_reduce
stage 1.*is gone
s/    if \(z->stage >= ZERO_2\)//
reduce_all
10c_shard_reduce
an all-reduce
s/comm_reduce_scatter\(z->comm, u->my_grads, u->grads/comm_all_reduce(z->comm, u->grads/
reduce_forgets
10c_shard_reduce
still names memory
s/unit_free\(z, &u->grads\)/tensor_free(z->be, u->grads)/
reduce_nothing
10c_shard_reduce
0 reduce-scatters
s/    comm_reduce_scatter[^;]*;//
update_no_gather
10d_shard_update
no all-gather
s/    if \(z->stage[^;]*;//
update_always
10d_shard_update
stage 3.*an all-gather
s/    if \(z->stage < ZERO_3\)//
update_early
10d_shard_update
before the step
s/    unit_sgd[^;]*;//; s/\n\}/\n    unit_sgd(z, u, rate);\n}/
update_no_step
10d_shard_update
did not move
s/    unit_sgd[^;]*;//
update_twice
10d_shard_update
two steps
s/(unit_sgd[^;]*;)/\1 \1/
layer_keeps
10e_shard_layer
stay in memory
s/unit_free\(z, &u->params\);//
layer_no_gather
10e_shard_layer
0 all-gathers
s/    comm_all_gather[^;]*;//
layer_both
10e_shard_layer
after the layer
s/if \(!before\) \{[^}]*\}/if (!before) unit_free(z, \&u->params);/
layer_shard
10e_shard_layer
is gone: nobody else has it
s/unit_free\(z, &u->params\)/unit_free(z, \&u->my_params)/
layer_never
10e_shard_layer
has no memory
s/    u->params = .*u->my_params, z->s\);//
bytes_all
10f_activation_bytes
all activations
s/int k = 0; k < parts; k\+\+/int k = 0; k < 1; k++/; s/cut\[k \+ 1\]; a/cut[parts]; a/
bytes_part
10f_activation_bytes
the largest part alone
s/        kept \+= [^;]*;//
bytes_images
10f_activation_bytes
activation 0
s/kept = 0/kept = bytes[0]/
again_loses_cut
10g_recompute
was a cut dropped
s/cut\[k\] \+ 1, cut\[k \+ 1\]\);/cut[k] + 1, cut[k + 1] + 1);/
again_keeps
10g_recompute
only the cuts are kept
s/        if \(k < parts - 1\)\n            each\(p->drop[^;]*;//; s/each\(p->take[^;]*k \+ 1\]\);//
again_last
10g_recompute
is in the last part
s/if \(k < parts - 1\) \{/{/; s/if \(k < parts - 1\)//
again_not
10g_recompute
compute the part's forward pass again
s/p->forward\(context, cut\[k\], cut\[k \+ 1\], true\)/0/
again_flag
10g_recompute
without .again.
s/true/false/
again_leaks
10g_recompute
still in memory at the end|in memory at once
s/each\(p->drop, context, cut\[k\] \+ 1, cut\[k \+ 1\] \+ 1\);//
again_order
10g_recompute
from the last part to the first
s/int k = parts - 1; k >= 0; k--/int k = 0; k < parts; k++/
again_no_loss
10g_recompute
before the loss
s/    p->loss\(context\);//
END
mutants=$(($(tr -cd '\0' <"$work/mutants" | wc -c) / 4))
xargs -0 -n 4 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants" >"$work/tried" 2>&1 || {
    grep -v '^ok' "$work/tried"; exit 1; }
echo "$mutants planted mistakes named"
[ "$mutants" = 42 ]
