#!/usr/bin/env bash
# The watch (common/watch/call_board.h) names what is wrong: collectives that do not match, a rank
# that left, a deadlock, one that computes or is stopped; with the lines of source. And it leaves a
# run alone in which nothing is wrong, and prints where all ranks are on SIGQUIT.
# seconds: 600
# waits: yes
set -u
source=tests/tools/mpi_mistakes.c
program=$BUILD/tests/tools/mpi_mistakes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. tests/e2e/_processes.sh
failed=''

# The lines of source with HERE in function $1, as "mpi_mistakes.c:N".
lines_of() {
    awk -v name="$1" '$0 ~ "^static void " name "\\(" { inside = 1 }
        inside && /HERE/ { print "mpi_mistakes.c:" NR } /^}/ { inside = 0 }' $source
}

# case, ranks, words that the one line of error has (a pattern); further arguments: functions whose
# HERE lines it must name. It must end by itself, by a mismatch long before ranks that wait count as
# hanging, after `seconds`.
wrong() {
    local name=$1 ranks=$2 words=$3 status line where; shift 3
    LABS_COMM_SECONDS=$seconds timeout 120 common/setup/launch.sh --np "$ranks" "$program" "$name" \
        >"$work/out" 2>"$work/err"
    status=$?
    line=$(<"$work/err")
    if [ $status != 1 ] || [ "$(wc -l <"$work/err")" != 1 ] || ! [[ $line =~ $words ]]; then
        echo "$name: status $status, expected 1 and '$words':"
        cat "$work/out" "$work/err"; failed=yes
    fi
    for function in "$@"; do
        for where in $(lines_of "$function"); do
            [[ $line = *"$where"* ]] || { echo "$name: no $where in: $line"; failed=yes; }
        done
    done
    echo "$name: $line"
}

seconds=600 # a mismatch is seen at once
wrong kinds 3 'rank 0 calls MPI_Barrier .*rank [12] MPI_Bcast of 4 float' kinds
wrong counts 2 'collective 2: .*of 2 float sum.* but rank 1 MPI_Allreduce of 3 float sum'
more() { [ -z "${ALL-}" ] || "$@"; }
more wrong types 2 'of 2 int sum .*of 2 float sum' types
more wrong ops 2 'of 2 float max .*of 2 float sum .*the same operation'
more wrong roots 3 'with root 0 .*with root [12] .*the same root' roots
wrong half 4 'rank 0 calls .*of 2 float sum.*rank 2 .*of 3 float sum' half
more wrong blocking 2 'rank 0 calls MPI_Barrier .*rank 1 MPI_Ibarrier'
wrong comm_kinds 2 'collective 4: rank 0 calls comm_barrier .* rank 1 comm_broadcast_host'
more wrong comm_early 2 'collective 4: rank 0 calls comm_all_reduce_host.*rank 1 comm_close'
wrong left 2 'rank 0 waits for rank 1, which has left'
seconds=2
wrong sends 2 'all ranks wait.*MPI_Send of 1048576 float to rank 1.*to rank 0' sends
wrong computes 2 'collective, and rank 1 has made no call.*rank 1 makes no call: it computes'
seconds=1
wrong polls_slowly 2 'all ranks wait.*has been in MPI_Recv.*rank 1 polls with MPI_Iprobe' \
    polls_slowly
seconds=2
if [ -n "${ALL-}" ]; then # each waits for 2 s
    wrong receives 3 'deadlock.*MPI_Recv of 1 float from rank 1, tag 6' receives
    wrong nobody 3 'deadlock.*rank 0 has been in MPI_Recv of 1 float from any rank'
    wrong never_sent 2 'deadlock.*rank 0 has been in MPI_Wait' never_sent
    wrong stops 2 'collective, and rank 1 has made no call.*rank 1 is stopped'
    wrong polls 2 'collective, and rank 1 has only polled.*rank 1 polls with MPI_Test \(' polls
    wrong all_poll 3 'all ranks wait.*rank 0 polls with MPI_Testall .*rank 2 polls'
fi

right() { # case, ranks
    LABS_COMM_SECONDS=$seconds timeout 300 common/setup/launch.sh --np "$2" "$program" "$1" \
        >"$work/out" 2>"$work/err" && [ "$(<"$work/out")" = ended ] && [ ! -s "$work/err" ] ||
        { echo "$1: this is right:"; cat "$work/out" "$work/err"; failed=yes; }
}
seconds=600
right right 4
right slow 2
[ -z "${ALL-}" ] || right starved 2
seconds=1
[ -z "${ALL-}" ] || right works_and_polls 2

# Where all ranks are, and the run continues. Rank 0 is asked until it waits. A copy, since other
# tests run the program, too.
cp "$program" "$work/asked"
LABS_COMM_SECONDS=600 LABS_STOP_SECONDS=1 common/setup/launch.sh --np 2 "$work/asked" computes \
    >"$work/out" 2>"$work/err" &
launcher=$! pid=''
asked() {
    local process
    for process in /proc/[0-9]*; do
        ! [ "$process/exe" -ef "$work/asked" ] || pid=${process#/proc/}
    done
    [ -n "$pid" ] && kill -QUIT "$pid" &&
        grep -q '^rank 0 has been in .*MPI_Barrier' "$work/err" &&
        grep -q '^rank 1 makes no call' "$work/err"
}
within 60 asked && kill -0 "$pid" ||
    { echo "SIGQUIT: expected two lines, and a run that continues:"; cat "$work/err"; failed=yes; }
kill -TERM $launcher
wait
[ -z "$failed" ]
