#!/usr/bin/env bash
# Lab 2's first program: the ring and the all-reduce are right on 1 to 4 ranks; --hang hangs and
# Ctrl-C ends it; --mismatch ends in an error or a hang; other programs' options are ignored, wrong
# ones refused. The NCCL version, if built, computes the sum or says why not.
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
    start 60 $np --device=cpu --x=y || fail "$np ranks: exit $?"
    sum=$((np * (np + 1) / 2)) ring=$((np * (np - 1) / 2))
    {
        echo "ignored: --device=cpu"
        echo "ignored: --x=y"
        for r in $(seq 0 $((np - 1))); do echo "rank $r of $np"; done
        [ $np = 1 ] || echo "ring: the token comes home with $ring, expected $ring"
        echo "all-reduce: $sum $((2 * sum)) $((3 * sum)), expected $sum $((2 * sum)) $((3 * sum))"
    } >"$out.expected"
    # The ranks' lines come in any order.
    cmp -s <(sort "$out.expected") <(sort "$out") ||
        fail "$np ranks: expected $(cat "$out.expected"), got"
done

for np in 2 4; do
    start 5 $np --hang; status=$?
    [ $status = 124 ] ||
        fail "--hang on $np ranks: exit $status: it should hang, and end on Ctrl-C"
    grep -q '^--hang: rank 0 skips the all-reduce' "$out" || fail "--hang is not announced"
    if grep -q '^all-reduce:' "$out"; then fail "--hang: there is a sum"; fi
    start 10 $np --mismatch; status=$?
    case $status in
        1) grep -q '^error: rank [0-9]: MPI_Allreduce: ' "$out" ||
               fail "--mismatch on $np ranks ended without an error message" ;;
        124) ;;
        *) fail "--mismatch on $np ranks: exit $status, expected 1 or a hang" ;;
    esac
    grep -q '^--mismatch: rank 0 all-reduces 2 elements, the others 3' "$out" ||
        fail "--mismatch is not announced"
    echo "--mismatch on $np ranks: exit $status"
done

for option in --none extra -x=y; do
    start 60 3 $option; status=$?
    [ $status = 2 ] && [ "$(cat "$out")" = "$option: usage: 1_ranks [--hang | --mismatch]" ] ||
        fail "$option: exit $status, expected 2 and the usage"
done

ranks=${ranks}_nccl
[ -x "$ranks" ] || { echo "1_ranks_nccl is not built: no NCCL here"; exit 0; }
for np in 1 2; do
    start 100 $np; status=$?
    case $status in
        0) sum=$((np * (np + 1) / 2))
           sums="$sum $((2 * sum)) $((3 * sum))"
           grep -q ": $sums, expected $sums\$" "$out" || fail "1_ranks_nccl on $np ranks: no sum" ;;
        77) [ "$(grep -c '^skipped: ' "$out")" = 1 ] ||
                fail "1_ranks_nccl on $np ranks: skipped without a reason" ;;
        *) fail "1_ranks_nccl on $np ranks: exit $status" ;;
    esac
    echo "1_ranks_nccl on $np ranks: exit $status: $(tail -n 1 "$out")"
done
