#!/usr/bin/env bash
# The checks of lab 2's collectives find each mistake and say what it is: a sed expression (-z: over
# several lines) changes the reference, and the check must print FAIL with the expected words.
# seconds: 900
# sanitizers: no
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_lab2_programs.sh

try() { # name, exercise, words (a pattern), sed expression
    local dir=$work/$1 from=$source/$2.c line began=$SECONDS
    mkdir "$dir"
    sed -zE "$4" "$from" >"$dir/$2.c" || { echo "FAIL  $1: sed: $4"; return 1; }
    if cmp -s "$from" "$dir/$2.c"; then
        echo "FAIL  $1: the expression changes nothing: $4"; return 1
    fi
    build_changed "$dir" "$2" || { echo "FAIL  $1: does not compile"; cat "$dir/make.log"; return 1; }
    TMPDIR=$dir LABS_CHECK_SECONDS=30 timeout --kill-after=5 120 "$dir/check/$2" \
        >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    if grep -qE -- "$3" <<<"$line"; then
        echo "ok    $1 ($((SECONDS - began)) s): $line"
    else
        echo "FAIL  $1 ($((SECONDS - began)) s): expected '$3':"; cut -c 1-500 "$dir/check.log"
        return 1
    fi
    rm -rf "$dir"
}
mutants=0
mutant() { mutants=$((mutants + 1)); printf '%s\0' "$@" >>"$work/mutants"; }

# Anything in place of the function's body.
body() { echo "s/(\nvoid $1\([^)]*\)\n)\{.*/\1{ int rank, P; MPI_Comm_rank(comm, \&rank); \
    MPI_Comm_size(comm, \&P); float *a = alloc((unsigned long)count + 1, 4); $2 }\n/"; }
S='MPI_STATUS_IGNORE'

ring=2b_all_reduce_ring
mutant ring_send_first $ring 'deadlock.*MPI_Send' "s/MPI_Sendrecv\((v \+ begin, length, MPI_FLOAT, \
\(rank \+ 1\) % P, 0), (to[^;]*);/MPI_Send(\1, comm); MPI_Recv(\2;/"
mutant ring_naive $ring 'too many elements' "$(body all_reduce_ring "if (rank) { MPI_Send(v, count, MPI_FLOAT, 0, 0, comm); \
        MPI_Recv(v, count, MPI_FLOAT, 0, 0, comm, $S); } \
    for (int r = 1; !rank \&\& r < P; r++) { MPI_Recv(a, count, MPI_FLOAT, r, 0, comm, $S); \
        for (int i = 0; i < count; i++) v[i] += a[i]; } \
    for (int r = 1; !rank \&\& r < P; r++) MPI_Send(v, count, MPI_FLOAT, r, 0, comm);")"
mutant ring_whole $ring 'too many elements' "$(body all_reduce_ring "float *b = alloc((unsigned long)count + 1, 4); \
    for (int i = 0; i < count; i++) b[i] = v[i]; \
    for (int s = 1; s < P; s++) { \
        MPI_Sendrecv(b, count, MPI_FLOAT, (rank + 1) % P, 0, a, count, MPI_FLOAT, \
            (rank + P - 1) % P, 0, comm, $S); \
        for (int i = 0; i < count; i++) v[i] += b[i] = a[i]; } \
    MPI_Bcast(v, count, MPI_FLOAT, 0, comm);")"
mutant ring_divisible $ring "count = [0-9]*, rank .*part" 's/\(int64_t\)count \* k \/ P/(count \/ P * k)/'
mutant ring_wrong_chunk $ring "look at the reduce-scatter" 's/rank \+ P - i\) % P, in/rank + P - i + 1) % P, in/'
mutant ring_short $ring "part alone: .*look at the reduce-scatter" 's/i < P - 1/i < P - 2/'
mutant ring_overwrite $ring "own part alone: is what arrives not added" 's/mine\[j\] \+= arr/mine[j] = arr/'
mutant ring_mean $ring 'is that the mean over the ranks' 's/(    free\(arrived\))/    for (int i = 0; i < count; i++) v[i] \/= P;\n\1/'
mutant ring_wrong_gather $ring "has the sum of its chunk r\+1: look at the all-gather" 's/rank \+ 1 \+ P - i\) % P/rank + P - i) % P/'
mutant ring_world $ring 'MPI_COMM_WORLD used in place of comm' 's/0, comm, MPI_ST/0, MPI_COMM_WORLD, MPI_ST/; s/MPI_Comm_(rank|size)\(comm/MPI_Comm_\1(MPI_COMM_WORLD/g'
mutant ring_world_rank $ring 'in reverse order' 's/MPI_Comm_rank\(comm/MPI_Comm_rank(MPI_COMM_WORLD/g'
mutant ring_gather_short $ring 'look at the all-gather' 's/(i < P - 1.*)i < P - 1/\1i < P - 2/'
mutant ring_twice $ring 'there twice' 's/mine\[j\] \+= arr/mine[j] += (i == 0 \&\& rank == 1 ? 2 : 1) * arr/'
mutant ring_neighbour $ring "chunk put in another place" 's/\(rank \+ 1\) % P, 0, to/(rank + P - 1) % P, 0, to/; s/MPI_FLOAT,\s*\(rank \+ P - 1\) % P, 0, comm/MPI_FLOAT, (rank + 1) % P, 0, comm/'
mutant ring_mpi $ring 'too few elements \(MPI.s own collectives do not count' "$(body all_reduce_ring "MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, comm);")"
mutant ring_outside $ring 'outside of v, behind it' 's/(    free\(arrived\))/    v[count] = 0;\n\1/'
mutant ring_bits $ring 'bits differ' 's/(    free\(arrived\))/    if (rank == 1 \&\& count > 3 \&\& v[3] < 1) v[3] += 1e-7f;\n\1/'
mutant ring_left_over $ring 'a message to it is left' 's/(    free\(arrived\))/    if (P > 1) MPI_Send(v, 0, MPI_FLOAT, (rank + 1) % P, 9, comm);\n\1/'
mutant ring_shifted $ring 'chunk put in another place' 's/(    free\(arrived\))/    if (count > 1) { float t = v[0]; v[0] = v[1]; v[1] = t; }\n\1/'
mutant ring_slow $ring 'wait for each other where they could send at once' "s/MPI_Sendrecv\((v \+ begin, \
length, MPI_FLOAT, \(rank \+ 1\) % P, 0), (to[^;]*);/if (rank) MPI_Recv(\2; MPI_Send(\1, comm); \
if (!rank) MPI_Recv(\2;/"
mutant ring_nothing $ring 'its own part alone: is what arrives not added' "$(body all_reduce_ring '')"
mutant ring_one_rank_hangs $ring 'MPI_Recv|did not end' 's/(    free\(arrived\))/    if (rank == 1 \&\& P == 3) MPI_Recv(arrived, 0, MPI_FLOAT, 0, 5, comm, MPI_STATUS_IGNORE);\n\1/'
mutant ring_small_room $ring 'ended with status|P = ' 's/alloc\(\(unsigned long\)\(count \/ P \+ 1\)/alloc((unsigned long)(count \/ P \/ 64)/; s/expected, MPI_FLOAT/expected - 1, MPI_FLOAT/'

naive=2a_all_reduce_naive
mutant naive_no_way_back $naive 'rank 0 has the sum: look at how it comes back' \
    's/    for \(int r = 1; r < P; r\+\+\)\n        MPI_Send[^;]*;//; s/(MPI_Send\([^;]*;)\s*MPI_Recv[^;]*;/\1/'
mutant naive_overwrite $naive "rank 3's part alone: is it overwritten.*look at the gather" 's/v\[i\] \+= arr/v[i] = arr/'
mutant naive_last $naive "rank 3's part is missing|message to it is left" 's/r < P; r\+\+\) \{/r < P - 1; r++) {/'
mutant naive_room $naive 'MPI refuses a call: .*message truncated' 's/MPI_Recv\(arrived, count, MPI_FLOAT, r,/MPI_Recv(arrived, count - 1, MPI_FLOAT, r,/'
mutant naive_world $naive 'MPI_COMM_WORLD used in place of comm' 's/0, comm/0, MPI_COMM_WORLD/g; s/MPI_Comm_(rank|size)\(comm/MPI_Comm_\1(MPI_COMM_WORLD/g'
mutant naive_mpi $naive 'too few elements' "$(body all_reduce_naive "MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, comm);")"

doubling=2c_all_reduce_doubling
mutant doubling_send_first $doubling 'deadlock.*MPI_Send' "s/MPI_Sendrecv\((v, count, MPI_FLOAT, rank \^ d, 0), \
(arrived[^;]*);/MPI_Send(\1, comm); MPI_Recv(\2;/"
mutant doubling_short $doubling "parts are missing" 's/d < Q; d/d < Q \/ 2; d/'
mutant doubling_late $doubling "part" 's/int d = 1/int d = 2/'
mutant doubling_twice $doubling 'there twice' 's/v\[i\] \+= arrived\[i\];\n    \}\n    for/v[i] += 2 * arrived[i];\n    }\n    for/'
mutant doubling_no_fold $doubling 'P = 3, rank .*MPI refuses a call: .*invalid rank' 's/while \(2 \* Q <= P\)/while (Q < P)/'
mutant doubling_fold_lost $doubling "P = 3.*part" 's/v\[i\] \+= arrived\[i\];\n    \}\n    for/continue;\n    }\n    for/'
mutant doubling_world $doubling 'MPI_COMM_WORLD used in place of comm' 's/0, comm/0, MPI_COMM_WORLD/g; s/0, arrived, count, MPI_FLOAT, rank \^ d, 0, comm/0, arrived, count, MPI_FLOAT, rank ^ d, 0, MPI_COMM_WORLD/; s/MPI_Comm_(rank|size)\(comm/MPI_Comm_\1(MPI_COMM_WORLD/g'

halving=2d_all_reduce_halving
mutant halving_middle $halving 'MPI refuses a call: .*invalid count|look at the first part' 's/whole.begin \+ \(whole.end - whole.begin\) \/ 2/(whole.end - whole.begin) \/ 2/'
mutant halving_overwrite $halving 'overwritten, not added.*look at the first part' 's/v\[i\] \+= arrived\[i - /v[i] = arrived[i - /'
mutant halving_no_way_back $halving 'look at the way back' 's/    for \(int d = 1; d < Q; d \*= 2, cuts--\) \{.*missing, rank \^ d, comm\);\n    \}//'
mutant halving_way_back_short $halving 'look at the way back' 's/d < Q; d \*= 2, cuts--/2 * d < Q; d *= 2, cuts--/'
mutant halving_whole $halving 'too many elements' 's/give = rank \& d [^;]*;/give = whole; keep = whole;/; s/mine\[cuts \+ 1\] = keep/mine[cuts + 1] = rank \& d ? (Range){middle, whole.end} : (Range){whole.begin, middle}/'
mutant halving_send_first $halving 'deadlock.*MPI_Send' 's/MPI_Sendrecv\((v [^;]*partner, 0), (to[^;]*);/MPI_Send(\1, comm); MPI_Recv(\2;/'

tree=2e_all_reduce_tree
mutant tree_no_way_down $tree 'rank 0 has the sum: look at the way down' 's/        MPI_Recv\(v, [^;]*;//; s/for \(d \/= 2; d >= 1; d \/= 2\)/for (; 0;)/'
mutant tree_overwrite $tree 'look at the way up' 's/v\[i\] \+= arr/v[i] = arr/'
mutant tree_leaf $tree 'deadlock.*MPI_Recv' 's/d \/= 2; d >= 1/d \/= 2; d >= 2/'
mutant tree_beyond $tree 'P = 3.*MPI refuses a call: .*invalid rank' 's/if \(rank \+ d >= P\)\s*continue;//'
mutant tree_star $tree 'too many|too few|wait' "$(body all_reduce_tree "if (rank) { MPI_Send(v, count, MPI_FLOAT, 0, 0, comm); \
        MPI_Recv(v, count, MPI_FLOAT, 0, 0, comm, $S); } \
    for (int r = 1; !rank \&\& r < P; r++) { MPI_Recv(a, count, MPI_FLOAT, r, 0, comm, $S); \
        for (int i = 0; i < count; i++) v[i] += a[i]; } \
    for (int r = 1; !rank \&\& r < P; r++) MPI_Send(v, count, MPI_FLOAT, r, 0, comm);")"

seconds=2f_all_reduce_seconds
mutant seconds_naive $seconds 'naive, P = 2: 4 latencies, expected 2|naive, P = 4: .*latencies' 's/2 \* alpha \+ 2 \* \(P - 1\)/2 * (P - 1) * alpha + 2 * (P - 1)/'
mutant seconds_ring $seconds 'ring, P = 2: the time of sending 2 vectors, expected 1' 's/bytes \/ P \* beta/bytes * beta/'
mutant seconds_tree $seconds 'tree, P = 2: 1 latencies, expected 2' 's/return 2 \* \(steps/return (steps/'
mutant seconds_extra $seconds 'doubling, P = 3' 's/steps \* message \+ extra/steps * message/'
mutant seconds_alone $seconds 'naive, P = 1' 's/P == 1 \? 0 : //'

# Some of them wait: run more at once than there are cores.
export -f try
xargs -0 -n 4 -P $((2 * ${JOBS:-2})) bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$mutants mutants"
[ "$failed" = 0 ] && [ "$mutants" -ge 50 ]
