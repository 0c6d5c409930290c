#!/usr/bin/env bash
# Lab 2's self-check is neither fooled nor hung by the ranks that it judges: each snippet below, in
# the exercise or in the trainer, costs its own points, with an explanation, and no other line, with
# nothing left running. A sample; ALL=1: all.
# seconds: 900
# waits: yes
# sanitizers: no
set -u
. tests/e2e/_work.sh
lab=lab2_ddp
. tests/e2e/_changed.sh
. tests/e2e/_processes.sh

# One case: the lines of the check, words of one of them.
try() { # number, program, steps, verdicts in this order, words, sed expression
    local dir=$work/$1 status got
    wrong() { # what
        echo "FAIL  case $number, $expression: $1"
        tail -n 20 "$dir/check.log" | cut -c 1-300 | cat -v | sed 's/^/      /'
        return 1
    }
    local number=$1 expression=$6 limit=120 # for ranks that end, on a busy machine
    case $5 in *'within 15 s'*) limit=15 ;; esac
    mkdir "$dir"
    sed -E "$6" "$(reference "$2")" >"$dir/$2.c"
    build_changed "$dir" "$2" ||
        { echo "case $1: does not compile"; cat "$dir/make.log"; return 1; }
    # shellcheck disable=SC2086 # the steps are words
    TMPDIR=$dir HOSTILE_CASE=$dir LABS_CHECK_SECONDS=$limit \
        timeout --kill-after=5 300 "$dir/check/$2" $3 >"$dir/check.log" 2>&1
    status=$?
    within 60 none with_variable "HOSTILE_CASE=$dir" >/dev/null || { wrong "left running"; return; }
    [ $status = 1 ] || { wrong "status $status"; return; }
    got=$(sed -nE 's/^(PASS|FAIL|TODO) .*/\1/p' "$dir/check.log" | cut -c 1 | tr -d '\n')
    grep -qx "$4" <<<"$got" || { wrong "expected $4, got $got"; return; }
    [ "$(grep -cE 'PASS|FAIL|TODO' "$dir/check.log")" = ${#got} ] ||
        { wrong "other lines with a verdict"; return; }
    grep '^FAIL' "$dir/check.log" | grep -q -- "$5" || { wrong "without the words '$5'"; return; }
    [ -z "$(find "$dir" -size +65M)" ] || { wrong "too large a file"; return; }
    echo "ok    $(grep '^FAIL' "$dir/check.log" | grep -m 1 -- "$5" | sed 's/ .*found:/ …/')"
    rm -rf "$dir"
}
cases=0
add() { cases=$((cases + 1)); printf '%s\0' $cases "$@" >>"$work/cases"; }

more() { [ -z "${ALL-}" ] || "$@"; }

# In the ring, at its start: words, C.
headers='#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n'
ring() {
    add 2b_all_reduce_ring '' F "$1" \
        "1i $headers
        /^void all_reduce_ring/,/^\\{/s/^\\{/{ int me = 0, all = 1; MPI_Comm_rank(comm, \&me); \
            MPI_Comm_size(comm, \&all); $2/"
}
ring 'it ended the program with exit(0)' 'exit(0);'
ring 'P = 3, .* on 4 ranks it ended' 'if (all == 3 \&\& me == 1) _exit(0);'
more ring 'it stopped itself' 'raise(SIGSTOP);'
ring 'on 4 ranks it stopped itself' 'if (all == 2 \&\& me == 1) raise(SIGSTOP);'
more ring 'did not end within 15 s' 'if (all == 2) for (;;) pause();'
more ring 'printed more than 1024 KiB' 'for (;;) puts("PASS  ring  16\/16");'
ring 'printed more than 1024 KiB' 'for (;;) fprintf(stderr, "100 of 100 points\\n");'
more ring 'sent a signal to all processes, or to the check' 'kill(getppid(), SIGKILL);'
more ring 'sent a signal to all processes, or to the check' 'kill(-1, 0);'
more ring 'on 1 ranks it ended' 'kill(0, SIGKILL);'
more ring 'on 4 ranks it ended' 'if (all == 2 \&\& me == 1) kill(getppid(), SIGKILL);'
ring 'a rank is one process' 'fork();'
more ring 'started more than 100 processes' 'for (int i = 0; i < 9; i++) fork(); sleep(60);'
more ring 'on 1 ranks it ended' 'execlp("true", "true", (char *)NULL);'
more ring 'on 1 ranks it ended' 'abort();'
more ring 'P = 1, count\|on 1 ranks' 'printf("right\\nPASS  ring  16\/16\\n"); v[-1] = 0;'

# In the trainer, between its start and the training; steps 1 to 7.
train() { # verdicts, words, C
    add 3_train '1 2 3 4 5 6 7' "$1" "$2" \
        "1i $headers
        s/^    make_model\\(&t\\);/&\\n    int me = t.comm->rank; { $3 }/"
}
# It knows who it is, and no more: one step answers for that, the others are not judged. Which one
# (5: the first broadcast, 6: the training) depends on how far rank 0 came before the other ended.
train PPPTFTT 'comm_close' 'exit(0);'
more train 'PPPT\(TF\|FT\)T' 'ended with status 7\|rank 1' 'if (me == 1) _exit(7);'
# In a loop: who ends the run lets it continue first, and it would train on a batch.
more train 'PPPT\(TF\|FT\)T' 'it stopped itself' 'if (me == 1) for (;;) raise(SIGSTOP);'
# The watch (10 s) and the check (15 s) both see it.
more train 'PPPT\(TF\|FT\)T' 'did not end within 15 s\|rank 1 has made no call' \
    'if (me == 1) for (;;) pause();'
more train 'PPFT\(TF\|FT\)T' 'more than 64 MiB into one file' \
    'if (me == 2) for (;;) puts("PASS  step 1  6\/6");'
more train PPPTFTT 'started more than 100 processes\|more than 4 GiB' \
    'for (int i = 0; i < 9; i++) fork(); sleep(60);'
train 'PPP[PT]*F[PT]*' 'ended with status' 'if (me == 1) kill(getppid(), SIGKILL);'
# An invalid checkpoint costs the step that needs it.
add 3_train '4 5 6 7 8' PPFPT 'the checkpoint cannot be read' \
    "1i #include <stdio.h>
    /^static void save/,/^\\}/s/^    free\\(path\\);/    if (!t->comm->rank) \
        fclose(fopen(path, \"w\"));\\n&/"

export -f try within none with_variable
xargs -0 -n 6 -P "${JOBS:-2}" bash -c 'try "$@"' _ <"$work/cases"
failed=$?
echo "$cases cases"
[ "$failed" = 0 ] && [ "$cases" -gt 0 ]
