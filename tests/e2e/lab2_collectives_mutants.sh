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
    failed() { echo "FAIL  $name ($((SECONDS - began)) s): $*"; }
    local name=$1
    mkdir "$dir"
    sed -zE "$4" "$from" >"$dir/$2.c" || { failed "sed: $4"; return 1; }
    if cmp -s "$from" "$dir/$2.c"; then
        failed "the expression changes nothing: $4"; return 1
    fi
    build_changed "$dir" "$2" || { failed "does not compile"; cat "$dir/make.log"; return 1; }
    TMPDIR=$dir LABS_CHECK_SECONDS=30 timeout --kill-after=5 120 "$dir/check/$2" \
        >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    grep -qE -- "$3" <<<"$line" ||
        { failed "expected '$3':"; cut -c 1-500 "$dir/check.log"; return 1; }
    echo "ok    $name ($((SECONDS - began)) s): $line"
    rm -rf "$dir"
}

# A record per mutant, a blank line behind it: its name and exercise; words of the verdict; the sed
# expression, whose lines are joined. AT_END: before the function ends; BODY: in place of its body.
start='int rank, P; MPI_Comm_rank(comm, \&rank); MPI_Comm_size(comm, \&P);'
start+=' float *a = alloc((unsigned long)count + 1, 4);'
end='(    free\(arrived\);\n\})'
mutants=0
add_all() {
    local name exercise words line expression
    while read -r name exercise && read -r words; do
        expression=
        while read -r line && [ -n "$line" ]; do expression+="${expression:+ }$line"; done
        case $expression in
            'AT_END '*) expression="s/$end/${expression#* }\n\1/" ;;
            'BODY '*) expression="s/(\nvoid [^;]*\)\n)\{.*/\1{ $start ${expression#* } }\n/" ;;
        esac
        printf '%s\0' "$name" "$exercise" "$words" "$expression" >>"$work/mutants"
        mutants=$((mutants + 1))
    done
}
add_all <<'END'
ring_send_first 2b_all_reduce_ring
deadlock.*MPI_Send
s/MPI_Sendrecv\((v \+ begin, length, MPI_FLOAT, \(rank \+ 1\) % P, 0),
(to[^;]*);/MPI_Send(\1, comm); MPI_Recv(\2;/

ring_naive 2b_all_reduce_ring
too many elements
BODY if (rank) { MPI_Send(v, count, MPI_FLOAT, 0, 0, comm);
MPI_Recv(v, count, MPI_FLOAT, 0, 0, comm, MPI_STATUS_IGNORE); return; }
for (int r = 1; r < P; r++) { MPI_Recv(a, count, MPI_FLOAT, r, 0, comm, MPI_STATUS_IGNORE);
for (int i = 0; i < count; i++) v[i] += a[i]; }
for (int r = 1; r < P; r++) MPI_Send(v, count, MPI_FLOAT, r, 0, comm);

ring_whole 2b_all_reduce_ring
too many elements
BODY float *b = alloc((unsigned long)count + 1, 4); for (int i = 0; i < count; i++) b[i] = v[i];
for (int s = 1; s < P; s++) { MPI_Sendrecv(b, count, MPI_FLOAT, (rank + 1) % P, 0, a, count,
MPI_FLOAT, (rank + P - 1) % P, 0, comm, MPI_STATUS_IGNORE);
for (int i = 0; i < count; i++) v[i] += b[i] = a[i]; }
MPI_Bcast(v, count, MPI_FLOAT, 0, comm);

ring_divisible 2b_all_reduce_ring
count = [0-9]*, rank .*part
s/\(int64_t\)count \* k \/ P/(count \/ P * k)/

ring_wrong_chunk 2b_all_reduce_ring
look at the reduce-scatter
s/rank \+ P - i\) % P, in/rank + P - i + 1) % P, in/

ring_short 2b_all_reduce_ring
part alone: .*look at the reduce-scatter
s/i < P - 1/i < P - 2/

ring_overwrite 2b_all_reduce_ring
own part alone: is what arrives not added
s/mine\[j\] \+= arr/mine[j] = arr/

ring_mean 2b_all_reduce_ring
is that the mean over the ranks
AT_END for (int i = 0; i < count; i++) v[i] \/= P;

ring_wrong_gather 2b_all_reduce_ring
has the sum of its chunk r\+1: look at the all-gather
s/rank \+ 1 \+ P - i\) % P/rank + P - i) % P/

ring_world 2b_all_reduce_ring
MPI_COMM_WORLD used in place of comm
s/0, comm, MPI_ST/0, MPI_COMM_WORLD, MPI_ST/;
s/MPI_Comm_(rank|size)\(comm/MPI_Comm_\1(MPI_COMM_WORLD/g

ring_world_rank 2b_all_reduce_ring
in reverse order
s/MPI_Comm_rank\(comm/MPI_Comm_rank(MPI_COMM_WORLD/g

ring_gather_short 2b_all_reduce_ring
rank [0-9]'s part is missing.*look at the all-gather
s/(i < P - 1.*)i < P - 1/\1i < P - 2/

ring_twice 2b_all_reduce_ring
there twice
s/mine\[j\] \+= arr/mine[j] += (i == 0 \&\& rank == 1 ? 2 : 1) * arr/

ring_neighbour 2b_all_reduce_ring
chunk put in another place
s/\(rank \+ 1\) % P, 0, to/(rank + P - 1) % P, 0, to/;
s/MPI_FLOAT,\s*\(rank \+ P - 1\) % P, 0, comm/MPI_FLOAT, (rank + 1) % P, 0, comm/

ring_mpi 2b_all_reduce_ring
too few elements \(MPI.s own collectives do not count
BODY MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, comm);

ring_outside 2b_all_reduce_ring
outside of v, behind it
AT_END v[count] = 0;

ring_bits 2b_all_reduce_ring
bits differ
AT_END if (rank == 1 \&\& count > 3 \&\& v[3] < 1) v[3] += 1e-7f;

ring_left_over 2b_all_reduce_ring
a message to it is left
AT_END if (P > 1) MPI_Send(v, 0, MPI_FLOAT, (rank + 1) % P, 9, comm);

ring_shifted 2b_all_reduce_ring
chunk put in another place
AT_END if (count > 1) { float t = v[0]; v[0] = v[1]; v[1] = t; }

ring_slow 2b_all_reduce_ring
on a link .*wait for each other where they could send at once
s/MPI_Sendrecv\((v \+ begin, length, MPI_FLOAT, \(rank \+ 1\) % P, 0), (to[^;]*);/if (rank)
MPI_Recv(\2; MPI_Send(\1, comm); if (!rank) MPI_Recv(\2;/

ring_nothing 2b_all_reduce_ring
its own part alone: is what arrives not added
BODY return;

ring_one_rank_hangs 2b_all_reduce_ring
deadlock.*MPI_Recv of 0 float from rank 0, tag 5 .2b_all_reduce_ring.c:
AT_END if (rank == 1 \&\& P == 3) MPI_Recv(arrived, 0, MPI_FLOAT, 0, 5, comm, MPI_STATUS_IGNORE);

ring_small_room 2b_all_reduce_ring
MPI refuses a call: .*message truncated
s/expected, MPI_FLOAT/expected - 1, MPI_FLOAT/

naive_no_way_back 2a_all_reduce_naive
rank 0 has the sum: look at how it comes back
s/    for \(int r = 1; r < P; r\+\+\)\n        MPI_Send[^;]*;//;
s/(MPI_Send\([^;]*;)\s*MPI_Recv[^;]*;/\1/

naive_overwrite 2a_all_reduce_naive
rank 3's part alone: is it overwritten.*look at the gather
s/v\[i\] \+= arr/v[i] = arr/

naive_last 2a_all_reduce_naive
rank 3's part is missing
s/r < P; r\+\+\) \{/r < P - 1; r++) {/

naive_room 2a_all_reduce_naive
MPI refuses a call: .*message truncated
s/MPI_Recv\(arrived, count, MPI_FLOAT, r,/MPI_Recv(arrived, count - 1, MPI_FLOAT, r,/

naive_world 2a_all_reduce_naive
MPI_COMM_WORLD used in place of comm
s/0, comm/0, MPI_COMM_WORLD/g; s/MPI_Comm_(rank|size)\(comm/MPI_Comm_\1(MPI_COMM_WORLD/g

naive_mpi 2a_all_reduce_naive
too few elements
BODY MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, comm);

doubling_send_first 2c_all_reduce_doubling
deadlock.*MPI_Send
s/MPI_Sendrecv\((v, count, MPI_FLOAT, rank \^ d, 0), (arrived[^;]*);/MPI_Send(\1,
comm); MPI_Recv(\2;/

doubling_short 2c_all_reduce_doubling
rank 2's and 3's parts are missing
s/d < Q; d/d < Q \/ 2; d/

doubling_late 2c_all_reduce_doubling
rank 1's and 3's parts are missing
s/int d = 1/int d = 2/

doubling_twice 2c_all_reduce_doubling
rank 2's part is there twice
s/v\[i\] \+= arrived\[i\];\n    \}\n    for/v[i] += 2 * arrived[i];\n    }\n    for/

doubling_no_fold 2c_all_reduce_doubling
P = 3, rank .*MPI refuses a call: .*invalid rank
s/while \(2 \* Q <= P\)/while (Q < P)/

doubling_fold_lost 2c_all_reduce_doubling
P = 3.*rank 2's part is missing
s/v\[i\] \+= arrived\[i\];\n    \}\n    for/continue;\n    }\n    for/

doubling_world 2c_all_reduce_doubling
MPI_COMM_WORLD used in place of comm
s/0, comm/0, MPI_COMM_WORLD/g; s/MPI_Comm_(rank|size)\(comm/MPI_Comm_\1(MPI_COMM_WORLD/g

halving_middle 2d_all_reduce_halving
MPI refuses a call: .*invalid count|look at the first part
s/whole.begin \+ \(whole.end - whole.begin\) \/ 2/(whole.end - whole.begin) \/ 2/

halving_overwrite 2d_all_reduce_halving
overwritten, not added.*look at the first part
s/v\[i\] \+= arrived\[i - /v[i] = arrived[i - /

halving_no_way_back 2d_all_reduce_halving
look at the way back
s/    for \(int d = 1; d < Q; d \*= 2, cuts--\) \{.*missing, rank \^ d, comm\);\n    \}//

halving_way_back_short 2d_all_reduce_halving
look at the way back
s/d < Q; d \*= 2, cuts--/2 * d < Q; d *= 2, cuts--/

halving_whole 2d_all_reduce_halving
too many elements
s/swap_ranges\(v, give, arrived, keep,/swap_ranges(v, whole, whole_arrived, whole,/;
s/\[i - keep.begin\]/[i]/; s/swap_ranges\(v, whole/float *whole_arrived = arrived + whole.begin; &/

halving_send_first 2d_all_reduce_halving
deadlock.*MPI_Send
s/MPI_Sendrecv\((v [^;]*partner, 0), (to[^;]*);/MPI_Send(\1, comm); MPI_Recv(\2;/

tree_no_way_down 2e_all_reduce_tree
rank 0 has the sum: look at the way down
s/        MPI_Recv\(v, [^;]*;//; s/for \(d \/= 2; d >= 1; d \/= 2\)/for (; 0;)/

tree_overwrite 2e_all_reduce_tree
look at the way up
s/v\[i\] \+= arr/v[i] = arr/

tree_leaf 2e_all_reduce_tree
deadlock.*MPI_Recv
s/d \/= 2; d >= 1/d \/= 2; d >= 2/

tree_beyond 2e_all_reduce_tree
P = 3.*MPI refuses a call: .*invalid rank
s/if \(rank \+ d >= P\)\s*continue;//

tree_star 2e_all_reduce_tree
rank 0: it sends 24 elements in 3 messages, expected 16 in 2: too many elements
BODY if (rank) { MPI_Send(v, count, MPI_FLOAT, 0, 0, comm);
MPI_Recv(v, count, MPI_FLOAT, 0, 0, comm, MPI_STATUS_IGNORE); return; }
for (int r = 1; r < P; r++) { MPI_Recv(a, count, MPI_FLOAT, r, 0, comm, MPI_STATUS_IGNORE);
for (int i = 0; i < count; i++) v[i] += a[i]; }
for (int r = 1; r < P; r++) MPI_Send(v, count, MPI_FLOAT, r, 0, comm);

seconds_naive 2f_all_reduce_seconds
naive, P = 4: 6 latencies, expected 2
s/2 \* alpha \+ 2 \* \(P - 1\)/2 * (P - 1) * alpha + 2 * (P - 1)/

seconds_ring 2f_all_reduce_seconds
ring, P = 2: the time of sending 2 vectors, expected 1
s/bytes \/ P \* beta/bytes * beta/

seconds_tree 2f_all_reduce_seconds
tree, P = 2: 1 latencies, expected 2
s/return 2 \* \(steps/return (steps/

seconds_extra 2f_all_reduce_seconds
doubling, P = 3
s/steps \* message \+ extra/steps * message/

seconds_alone 2f_all_reduce_seconds
naive, P = 1
s/P == 1 \? 0 : //
END

# Some of them wait: run more at once than there are cores.
export -f try
xargs -0 -n 4 -P $((2 * ${JOBS:-2})) bash -c 'try "$@"' _ <"$work/mutants"
failed=$?
echo "$mutants mutants"
[ "$failed" = 0 ] && [ "$mutants" = 52 ]
