#!/usr/bin/env bash
# Lab 2's first program: the ring and the all-reduce are right on 1 to 4 ranks; --hang and
# --mismatch end in the watch's words, and hang without it until Ctrl-C; --race loses lines; an
# option that it does not have is refused, make's variables are not. The NCCL version, if built,
# computes the sum or says why not.
# seconds: 600
# waits: yes
# sanitizers: no
set -u
ranks=$BUILD/student/lab2_ddp/1_ranks
out=$(mktemp)
trap 'rm -f "$out" "$out".*' EXIT
fail() { echo "$1"; cat "$out"; exit 1; }
start() { # seconds, ranks, options…
    local seconds=$1 np=$2; shift 2
    timeout -s INT -k 10 "$seconds" common/setup/launch.sh --np "$np" "$ranks" "$@" >"$out" 2>&1
}

for np in 1 2 3 4; do
    LABS_OPTIONS=--device=cpu start 120 $np || fail "$np ranks: exit $?"
    sum=$((np * (np + 1) / 2)) ring=$((np * (np - 1) / 2))
    {
        for r in $(seq 0 $((np - 1))); do echo "rank $r of $np"; done
        [ $np = 1 ] || echo "ring: the token comes home with $ring, expected $ring"
        echo "all-reduce: $sum $((2 * sum)) $((3 * sum)), expected $sum $((2 * sum)) $((3 * sum))"
    } >"$out.expected"
    # The ranks' lines come in any order.
    cmp -s <(sort "$out.expected") <(sort "$out") ||
        fail "$np ranks: expected $(cat "$out.expected"), got"
done

order='every rank must make the same calls in the same order'
for np in 2 4; do
    start 120 $np --hang; status=$?
    [ $status = 1 ] && grep -q '^--hang: rank 0 skips the all-reduce' "$out" &&
        grep -q "rank 0 calls MPI_Barrier (1_ranks.c:[0-9]*), but rank .*MPI_Allreduce.*$order" \
            "$out" || fail "--hang on $np ranks: exit $status, expected 1 and both calls"
    if grep -q '^all-reduce:' "$out"; then fail "--hang: there is a sum"; fi
    for where in $(grep -o '1_ranks.c:[0-9]*' "$out"); do
        grep -q "($where)" lab2_ddp/HANDOUT.md || fail "the handout's lines are not $where"
    done
    start 120 $np --mismatch; status=$?
    [ $status = 1 ] && grep -q '^--mismatch: rank 0 all-reduces 2 elements, the others 3' "$out" &&
        grep -q 'MPI_Allreduce of 2 float sum .*MPI_Allreduce of 3 float sum' "$out" ||
        fail "--mismatch on $np ranks: exit $status, expected 1 and both calls"
    (cd "$(mktemp -d)" && "$OLDPWD/common/setup/launch.sh" --np $np "$OLDPWD/$ranks" --race &&
        rmdir "$PWD") >"$out" 2>&1 || fail "--race on $np ranks: exit $?, or a file is left"
    held=$(sed -n 's/^race: the file has \([0-9]*\) of .*/\1/p' "$out" |
        awk '{ n += $1 } END { print n }')
    [ "$(grep -c '^race: the file has' "$out")" = $np ] && [ "$held" -lt $((1000 * np)) ] ||
        fail "--race on $np ranks: $held lines of $((1000 * np)): nothing was lost?"
done

# Built by mpicc alone there is no watch: it hangs, until Ctrl-C.
if type -P mpicc >/dev/null; then
    mpicc lab2_ddp/1_ranks.c -o "$out.plain" || fail "mpicc alone cannot build it"
    timeout -s INT -k 10 5 common/setup/launch.sh --np 2 "$out.plain" --hang >"$out" 2>&1
    status=$?
    [ $status = 124 ] || fail "--hang without the watch: exit $status: it should hang"
fi

for option in --none extra -x=y; do
    start 120 3 $option; status=$?
    [ $status = 2 ] &&
        [ "$(cat "$out")" = "error: 1_ranks: $option: no such option; see --help" ] ||
        fail "$option: exit $status, expected 2 and one line"
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
