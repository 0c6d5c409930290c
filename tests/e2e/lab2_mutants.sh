#!/usr/bin/env bash
# Lab 2's self-check must find each mistake: a sed expression changes the reference, and the check
# must print FAIL for exactly the named exercises among those that it judges.
# seconds: 900
# sanitizers: no
set -u
work=$(mktemp -d)
. tests/e2e/_lab2_programs.sh

# name, source file without .c, expected failures, exercises to judge, sed expression, its folder
try() {
    local dir=$work/$1 from=$6/$2.c got
    mkdir "$dir"
    sed -E "$5" "$from" >"$dir/$2.c"
    if cmp -s "$from" "$dir/$2.c"; then
        echo "$1: the expression changes nothing: $5"; return 1
    fi
    build_changed "$dir" "$2" || { echo "$1: does not compile"; cat "$dir/make.log"; return 1; }
    # shellcheck disable=SC2086  # the exercises are words
    TMPDIR=$dir "$dir/check/$2" $4 >"$dir/check.log" 2>&1
    got=$(sed -nE 's/^FAIL  (step )?([a-z0-9]+) .*/\2/p' "$dir/check.log" | xargs)
    if [ "$got" = "$3" ]; then
        echo "ok  $1: $(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')"
    else
        echo "$1: expected FAIL at '$3', got '$got':"; cat "$dir/check.log"; return 1
    fi
    rm -rf "$dir"
}

mutant() { printf '%s\0' "$1" "$2" "$3" "$4" "$5" "${6:-$source}" >>"$work/mutants"; }

all='1 2 3 4 5 6 7' # these need two short runs; 8 and 9 need more
mutant unconverted  3_train "1 2 3 4 5 6 7 8 9" "$all 8 9" \
    's/to_do\[\] = \{[^}]*\}/to_do[] = {0}/' lab2_ddp
mutant self         3_train "1 2 3 4 5 6 7" "$all" 's/comm_open\(o->run.comm\)/comm_open("self")/'
mutant no_close     3_train 1 "$all" '/comm_close\(/d'
mutant one_device   3_train 2 "$all" 's/t->comm->local_rank, t->comm->local_size/0, 1/'
mutant all_speak    3_train 3 "$all" 's/speaks = t->comm->rank == 0/speaks = true/'
mutant same_slice   3_train "4 6" "$all" 's/ \+ t->comm->rank \* B;/;/'
mutant uneven       3_train 4 "4 5" 's/(batches = [^;]*);/\1 - (t->comm->rank == 2);/'
mutant no_broadcast 3_train 5 "$all" '/comm_broadcast\(/d'
mutant wrong_root   3_train 5 "$all" 's/params, 0, t->model->s/params, 1, t->model->s/'
mutant no_average   3_train 6 "$all" '/average\(t, m->grads\)/d'
mutant sum          3_train 6 "$all" 's|1.0f / \(float\)t->comm->size|1.0f|'
mutant no_scaling   3_train 7 "$all" 's/o->rate \* t->comm->size/o->rate/'
mutant no_warmup    3_train 7 "$all" '/\.warmup = /d'
mean_of_means='double a = metrics_accuracy(own); comm_all_reduce_host(t->comm, \&a, 1, COMM_SUM); '
mean_of_means+='comm_all_reduce_host(t->comm, sums, 1, COMM_SUM); '
mean_of_means+='sums[1] = a / t->comm->size; sums[2] = 1;'
mutant mean_of_means 3_train 8 8 \
    's|comm_all_reduce_host\(t->comm, sums, 3, COMM_SUM\);|'"$mean_of_means"'|'
mutant own_metrics  3_train 8 8 '/sums, 3, COMM_SUM/d'
mutant all_test_all 3_train 8 8 \
    's|int first = .*|int first = 0, end = (int)count; (void)r; (void)P;|'
mutant parts_short  3_train 8 8 \
    's|int first = .*|int first = (int)(count / P * r), end = (int)(count / P * (r + 1));|'
mutant own_state    3_train 8 8 '/^static Metrics test/,/^}/{/average\(/d}'
mutant all_save     3_train 9 9 '/if \(t->comm->rank == 0\)/d'
mutant none_saves   3_train 9 9 's/if \(t->comm->rank == 0\)/if (t->comm->rank < 0)/'
mutant save_own     3_train 9 9 '/^static void save/,/^}/{/average\(/d}'
mutant one_resumes  3_train 9 9 's/if \(o->resume\)/if (o->resume \&\& t->comm->rank == 0)/'
mutant stop_alone   3_train 9 9 '/&stop, 1, COMM_MAX/d'
# Many of them run into a time limit: run more at once than there are cores.
export -f try
xargs -0 -n 6 -P $((2 * ${JOBS:-2})) bash -c 'try "$@"' _ <"$work/mutants"
