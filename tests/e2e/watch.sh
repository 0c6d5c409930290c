#!/usr/bin/env bash
# The watch (common/comm/call_board.h) names what is wrong: collectives that do not match, a rank
# that left, a deadlock, one that computes or is stopped; with the lines of source. And it leaves a
# run alone in which nothing is wrong, and prints where all ranks are on SIGQUIT.
# seconds: 240
# waits: yes
set -u
source=tests/tools/mpi_mistakes.c
program=$BUILD/tests/tools/mpi_mistakes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=''

# The lines of source with HERE in function $1, as "mpi_mistakes.c:N".
lines_of() {
    awk -v name="$1" '$0 ~ "^static void " name "\\(" { inside = 1 }
        inside && /HERE/ { print "mpi_mistakes.c:" NR } /^}/ { inside = 0 }' $source
}

# case, ranks, status, most seconds, words that the one line of error has (a pattern); further
# arguments: functions whose HERE lines it must name.
wrong() {
    local name=$1 ranks=$2 wanted=$3 most=$4 words=$5 began=$SECONDS status line where; shift 5
    LABS_COMM_SECONDS=4 timeout 60 common/setup/launch.sh --np "$ranks" "$program" "$name" \
        >"$work/out" 2>"$work/err"
    status=$?
    line=$(<"$work/err")
    if [ $status != "$wanted" ] || [ "$(wc -l <"$work/err")" != 1 ] || ! [[ $line =~ $words ]] ||
        [ $((SECONDS - began)) -gt "$most" ]; then
        echo "$name: status $status after $((SECONDS - began)) s, expected $wanted within $most s" \
            "and '$words':"; cat "$work/out" "$work/err"; failed=yes
    fi
    for function in "$@"; do
        for where in $(lines_of "$function"); do
            [[ $line = *"$where"* ]] || { echo "$name: no $where in: $line"; failed=yes; }
        done
    done
    echo "$name ($((SECONDS - began)) s): $line"
}

wrong kinds 3 1 5 'rank 0 calls MPI_Barrier .*rank [12] MPI_Bcast of 4 float' kinds
wrong counts 2 1 5 'collective 2: .*of 2 float sum.* but rank 1 MPI_Allreduce of 3 float sum'
wrong types 2 1 5 'of 2 int sum .*of 2 float sum' types
wrong ops 2 1 5 'of 2 float max .*of 2 float sum .*the same operation'
wrong roots 3 1 5 'with root 0 .*with root [12] .*the same root' roots
wrong half 4 1 5 'rank 0 calls .*of 2 float sum.*rank 2 .*of 3 float sum' half
wrong blocking 2 1 5 'rank 0 calls MPI_Barrier .*rank 1 MPI_Ibarrier'
wrong left 2 1 6 'rank 0 waits for rank 1, which has left'
wrong sends 2 1 12 'all ranks wait.*MPI_Send of 1048576 float to rank 1.*to rank 0' sends
wrong receives 3 1 12 'deadlock.*MPI_Recv of 1 float from rank 1, tag 6' receives
wrong nobody 3 1 12 'deadlock.*rank 0 has been in MPI_Recv of 1 float from any rank'
wrong never_sent 2 1 12 'deadlock.*rank 0 has been in MPI_Wait' never_sent
wrong computes 2 1 9 'collective, and rank 1 has made no call.*rank 1 makes no call: it computes'
wrong stops 2 1 9 'collective, and rank 1 has made no call.*rank 1 is stopped'
wrong comm_kinds 2 1 5 'collective 4: rank 0 calls comm_barrier .* rank 1 comm_broadcast_host'
wrong comm_early 2 1 5 'collective 4: rank 0 calls comm_all_reduce_host.*rank 1 comm_close'

common/setup/launch.sh --np 4 "$program" right >"$work/out" 2>"$work/err" &&
    [ "$(<"$work/out")" = ended ] && [ ! -s "$work/err" ] ||
    { echo "right: this is right:"; cat "$work/out" "$work/err"; failed=yes; }

# Where all ranks are, and the run goes on.
LABS_COMM_SECONDS=9 common/setup/launch.sh --np 2 "$program" computes >"$work/out" 2>"$work/err" &
pid=''
for _ in {1..50}; do
    sleep 0.2
    for process in /proc/[0-9]*; do
        [ ! "$process/exe" -ef "$program" ] || pid=${process#/proc/}
    done
    [ -z "$pid" ] || break
done
sleep 2
kill -QUIT "$pid"
sleep 1
[ "$(wc -l <"$work/err")" = 2 ] && grep -q '^rank 0 has been in .*MPI_Barrier' "$work/err" &&
    grep -q '^rank 1 makes no call' "$work/err" && kill -0 "$pid" ||
    { echo "SIGQUIT: expected two lines, and a run that goes on:"; cat "$work/err"; failed=yes; }
wait
[ -z "$failed" ]
