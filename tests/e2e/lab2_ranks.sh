#!/usr/bin/env bash
# Lab 2's first program: the ring and the all-reduce are right on 1 to 4 ranks; --hang hangs and Ctrl-C ends it; --mismatch ends in an error or a
# hang, as it says; wrong options are refused. Its twin with NCCL, where it was built, sums up or says why it does not.
# seconds: 200
# sanitizers: no
set -u
ranks=$BUILD/student/lab2_ddp/1_ranks
out=$(mktemp)
trap 'rm -f "$out" "$out.expected"' EXIT
fail() { echo "$1"; cat "$out"; exit 1; }
start() { # seconds, ranks, options…
    local seconds=$1 np=$2; shift 2
    timeout -s INT -k 10 "$seconds" common/setup/launch.sh --np "$np" "$ranks" "$@" >"$out" 2>&1
}

for np in 1 2 3 4; do
    start 60 $np --device=cpu --data=synthetic --seed=2 || fail "$np ranks: exit $?"
    sum=$((np * (np + 1) / 2)) ring=$((np * (np - 1) / 2))
    for r in $(seq 0 $((np - 1))); do echo "rank $r of $np on $(uname -n)"; done >"$out.expected"
    echo "ring: the token comes home with $ring, expected $ring" >>"$out.expected"
    echo "all-reduce: $sum $((2 * sum)) $((3 * sum)), expected $sum $((2 * sum)) $((3 * sum))" >>"$out.expected"
    cmp -s "$out.expected" <(grep -v '^a single rank' "$out") || fail "$np ranks: expected $(cat "$out.expected"), got"
done

for np in 2 4; do
    start 5 $np --hang; status=$?
    [ $status = 124 ] || fail "--hang on $np ranks: exit $status: it should hang, and end on Ctrl-C"
    grep -q '^--hang: rank 0 leaves out the all-reduce' "$out" || fail "--hang does not say what will happen"
    if grep -q '^all-reduce:' "$out"; then fail "--hang: there is a sum"; fi
    start 10 $np --mismatch; status=$?
    case $status in
        1) grep -q '^error: rank [0-9]: MPI_Allreduce: ' "$out" || fail "--mismatch on $np ranks ended without a word" ;;
        124) ;;
        *) fail "--mismatch on $np ranks: exit $status, expected 1 or a hang" ;;
    esac
    grep -q '^--mismatch: rank 0 all-reduces 2 elements, the others 3' "$out" || fail "--mismatch does not say what it does"
    echo "--mismatch on $np ranks: exit $status"
done

for option in --hang --mismatch --none extra; do
    start 60 1 $option; status=$?
    [ $status = 2 ] && [ "$(wc -l <"$out")" = 1 ] || fail "$option on one rank: exit $status, expected 2 and one line"
done
start 60 3 --none; status=$?
[ $status = 2 ] && [ "$(grep -c 'unknown option' "$out")" = 1 ] || fail "--none on three ranks: exit $status, expected 2 and one line"
start 60 3 --help && grep -q '^usage: ' "$out" || fail "--help: exit $?"

ranks=${ranks}_nccl
[ -x "$ranks" ] || { echo "1_ranks_nccl is not built: no NCCL here"; exit 0; }
for np in 1 2; do
    start 100 $np; status=$?
    case $status in
        0) sum=$((np * (np + 1) / 2))
           grep -q ": $sum $((2 * sum)) $((3 * sum)), expected $sum $((2 * sum)) $((3 * sum))\$" "$out" || fail "1_ranks_nccl on $np ranks: no sum" ;;
        77) [ "$(grep -c '^skipped: ' "$out")" = 1 ] || fail "1_ranks_nccl on $np ranks: skipped without a reason" ;;
        *) fail "1_ranks_nccl on $np ranks: exit $status" ;;
    esac
    echo "1_ranks_nccl on $np ranks: exit $status: $(tail -n 1 "$out")"
done
