#!/usr/bin/env bash
# Lab 2's self-check must find each mistake of part 3, and explain it: a sed expression changes the
# reference, and the check must print FAIL for the named step alone among those that it judges, with
# the named words, and the line to look at.
# seconds: 900
# sanitizers: no
#
# Without MUTANTS=all (make mutants) or ALL=1 only those marked with + run; MUTANT=name: this one.
set -u
lab=lab2_ddp work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_mutants.sh

# name, expected FAIL (steps), words of its line, steps to judge, sed expression
try() {
    local dir=$work/$1 from=$trainer got line began took
    [ "$1" != unconverted ] || from=lab2_ddp/3_train.c
    mkdir "$dir" "$dir/lab2_ddp"
    sed -E "$5" "$from" >"$dir/3_train.c"
    if cmp -s "$from" "$dir/3_train.c"; then
        echo "$1: the expression changes nothing: $5"; return 1
    fi
    build_changed "$dir" 3_train || { echo "$1: does not compile"; cat "$dir/make.log"; return 1; }
    ln -s "$dir/3_train.c" "$dir/lab2_ddp/" # what the check takes for the student's file
    ln -s "$PWD/common" "$dir/common"
    [ ! -d data ] || ln -s "$PWD/data" "$dir/data"
    began=$(date +%s%N)
    # shellcheck disable=SC2086  # the steps are words
    (cd "$dir" && TMPDIR=$dir check/3_train $4 >check.log 2>&1)
    took=$((($(date +%s%N) - began) / 100000000))
    got=$(sed -nE 's/^FAIL  step ([0-9]) .*/\1/p' "$dir/check.log" | xargs)
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    if [ "$got" != "$2" ]; then
        echo "$1: expected FAIL at '$2', got '$got':"; cat "$dir/check.log"; return 1
    elif ! grep -qE -- "$3" <<<"$line"; then
        echo "$1: the words '$3' are missing: $line"; return 1
    elif [ -n "$2" ] && ! grep -qE "see lab2_ddp/3_train.c:[0-9]+ \(STEP $2" <<<"$line"; then
        echo "$1: no line to look at: $line"; return 1
    fi
    printf 'ok  %-14s %3d.%d s  step %s: %s\n' "$1" $((took / 10)) $((took % 10)) "$2" "$line"
    rm -rf "$dir"
}
mutant() { # as try; + in front of the name: a quick one
    if [ -n "${MUTANT:-}" ]; then [ "$MUTANT" = "${1#+}" ] || return
    elif [ "${MUTANTS:-}${ALL:-}" = "" ]; then [ "${1:0:1}" = + ] || return
    fi
    printf '%s\0' "${1#+}" "$2" "$3" "$4" "$5" >>"$work/mutants"
}
short='1 2 3 4 5 6 7' # these need two short runs; 8 and 9 need more
full="$short 8 9"

# ---- steps 1 to 3 ----
mutant +unconverted 1 'process 0 does not start' "$full" 's/to_do\[\] = \{[^}]*\}/to_do[] = {0}/'
mutant self 1 'process 0 is rank 0 of 1' "$full" 's/comm_open\(o->run.comm\)/comm_open("self")/'
mutant no_close 1 'is comm_close called' "$full" '/comm_close\(/d'
mutant one_device 2 'as local rank 0 of 1' "$short" \
    's/t->comm->local_rank, t->comm->local_size/0, 1/'
mutant all_speak 3 'rank 1 (prints|writes)' "$short" 's/speaks = t->comm->rank == 0/speaks = true/'
mutant world_of_one 3 '"ranks" as 1' "$short" 's/"ranks", t->comm->size/"ranks", 1/'
# ---- step 4 ----
mutant same_slice 4 'ranks 0 and 1 train on the same images' "$full" 's/t->comm->rank \* S;/0;/'
mutant own_order 4 'do all ranks draw the same order' "$full" \
    's/(epoch_order\(t->order, count, t->at.seed)/\1 + (uint64_t)t->comm->rank/'
mutant one_batch 4 'rank 0 trains on positions 8 to 15 .*, expected 24 to 31' "$full" \
    's/rank_batch\(t\) \* t->comm->size;/rank_batch(t);/'
mutant +uneven 4 'rank 2 makes only 3 updates' "$full" \
    's/(batches = [^;]*);/\1 - (t->comm->rank == 2);/'
mutant one_less 4 'rank 0 makes only 3 updates' "$full" \
    's/(batches = [^;]*);/\1 - (t->comm->rank == 0);/'
mutant micro_slice 4 'with --accumulate 2: in update 0 rank 1 trains on positions 8' "$short" \
    's/t->comm->rank \* S;/t->comm->rank * t->o->batch;/'
# ---- step 5 ----
mutant +no_broadcast 5 'drew itself: it makes no comm_broadcast' "$short" '/comm_broadcast\(/d'
mutant of_grads 5 'is it model->params that comm_broadcast sends' "$full" \
    's/(comm_broadcast\(t->comm, t->model->)params/\1grads/'
mutant wrong_root 5 'weights that rank 1 drew' "$full" \
    's/params, 0, t->model->s/params, 1, t->model->s/'
mutant own_root 5 'every rank must name the same root' "$full" \
    's/params, 0, t->model->s/params, t->comm->rank, t->model->s/'
# ---- step 6 ----
mutant no_average 6 'without an all-reduce before it' "$full" '/average\(t, m->grads\)/d'
mutant sum 6 'the sum over the ranks, not the mean' "$full" 's|1.0f / \(float\)t->comm->size|1.0f|'
mutant integers 6 'is 0 in integers' "$full" \
    's|1.0f / \(float\)t->comm->size|(float)(1 / t->comm->size)|'
mutant largest 6 'is it the mean' "$full" '/^static void average/,/^}/s/COMM_SUM/COMM_MAX/'
mutant mean_twice 6 'divided by the world size once more' "$full" \
    's|1.0f / \(float\)t->comm->size|1.0f / (float)(t->comm->size * t->comm->size)|'
mutant rank_0_alone 6 'rank 1 makes update 0 without the all-reduce in which rank 0' "$full" \
    's/average\(t, m->grads\)/if (t->comm->rank == 0) average(t, m->grads)/'
mutant after_step 6 'comes after update 0, not before' "$full" \
    '/average\(t, m->grads\)/d
    s/^    sgd_step\(m, t->sgd, rate_now\(t\)\);/&\n    average(t, m->grads);/'
mutant params 6 'is it model->params that is averaged' "$full" \
    's/average\(t, m->grads\)/average(t, m->params)/'
mutant state 6 'without an all-reduce before it' "$full" \
    's/average\(t, m->grads\)/average(t, m->state)/'
mutant twice 6 'for twice the bytes' "$full" \
    's/^    average\(t, m->grads\);/&\n    average(t, m->grads);/'
mutant each_micro 6 'after each of 2 micro-batches: once per update' "$full" \
    '/average\(t, m->grads\)/d; s/^    model_backward\(m\);/&\n    average(t, m->grads);/'
mutant scale_first '' '' "$full" \
    '/^static void average/,/^}/{/op->scale/d
    s/^    comm_all_reduce/    t->be->op->scale(t->model->s, v, 1.0f \/ (float)t->comm->size);\n&/}'
# One that never comes: the watch ends the run after 10 s.
mutant asleep 6 'rank 1' "$short" \
    '1i #include <unistd.h>
    s/^    make_model\(&t\);/&\n    for (; t.comm->rank == 1;) pause();/'
# ---- step 7 ----
mutant +no_scaling 7 'it is not scaled by P' "$short" 's/o->rate \* t->comm->size/o->rate/'
mutant no_warmup 7 'no warm-up' "$short" '/\.warmup = /d'
# ---- step 8 ----
mean_of_means='double a = metrics_accuracy(own); comm_all_reduce_host(t->comm, \&a, 1, COMM_SUM); '
mean_of_means+='comm_all_reduce_host(t->comm, sums, 1, COMM_SUM); '
mean_of_means+='sums[1] = a / t->comm->size; sums[2] = 1;'
mutant +mean_of_means 8 "the mean of the ranks' accuracies" '6 8' \
    's|comm_all_reduce_host\(t->comm, sums, 3, COMM_SUM\);|'"$mean_of_means"'|'
mutant own_metrics 8 "rank 0's own" "$full" '/sums, 3, COMM_SUM/d'
mutant all_test_all 8 '3 ranks test image 0' "$full" \
    's|int first = .*|int first = 0, end = (int)count; (void)r; (void)P;|'
mutant parts_short 8 '0 ranks test image 48' "$full" \
    's|int first = .*|int first = (int)(count / P * r), end = (int)(count / P * (r + 1));|'
mutant own_state 8 "batch norm's running statistics averaged" "$full" \
    '/^static Metrics test/,/^}/{/average\(/d}'
mutant rank_0_tests 8 'rank 1 does not test after epoch 1' "$full" \
    's/^        row.test = tested = test\(t\);/        if (t->comm->rank == 0)\n&/'
# ---- step 9 ----
mutant +all_save 9 'rank 1 writes checkpoints too' '6 9' '/if \(t->comm->rank == 0\)/d'
mutant none_saves 9 'rank 0 writes no checkpoint' "$full" \
    's/if \(t->comm->rank == 0\)/if (t->comm->rank < 0)/'
mutant save_own 9 'last checkpoint differs' "$full" '/^static void save/,/^}/{/average\(/d}'
mutant rank_0_branch 9 'inside .if .rank == 0..' "$full" \
    '/^static void save/,/^}/s/^    average\(/    if (t->comm->rank == 0)\n    &/'
mutant returns_early 9 'rank 0 calls comm_all_reduce' "$full" \
    's/^static void save\(Trainer \*t\)/&\n{ if (t->comm->rank) return;/
    /^static void save/,/^}/{/^\{$/d}'
mutant one_resumes 9 'rank 1 does not read the checkpoint' "$full" \
    's/if \(o->resume\)/if (o->resume \&\& t->comm->rank == 0)/'
mutant stop_alone 9 'when rank 1 alone is told to stop' "$full" '/&stop, 1, COMM_MAX/d'
mutant rank_0_stops 9 'rank 0 calls comm_all_reduce_host of 1' "$full" \
    's/^    (comm_all_reduce_host\(t->comm, .stop)/    if (t->comm->rank == 0) \1/'
# One at a time would take longer: many wait.
export -f try
xargs -0 -n 5 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$(tr -cd '\0' <"$work/mutants" | wc -c | awk '{ print $1 / 5 }') mistakes"
exit $failed
