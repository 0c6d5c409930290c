#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# NCCL in trouble, played by a double (tests/support/fake_nccl.c): all ranks end, exactly one line
# says why, and so does the status. This does not show what the real NCCL does in these cases.
set -u
program=$BUILD/tests/test_comm_nccl
"$program" --list | grep -q '^double ' && { echo "skipped: no NCCL to compile with"; exit 77; }
. tests/e2e/_work.sh

try() { # scenario ranks status line [NAME=value]
    local status
    env "LABS_COMM_SECONDS=4" "${5:-X=}" timeout 120 common/setup/launch.sh --np "$2" \
        "$program" --scenario "$1" >"$work/out" 2>"$work/err"
    status=$?
    [ $status = "$3" ] || wrong "$1: exit status $status, expected $3"
    [ "$(wc -l <"$work/err")" = 1 ] || wrong "$1: expected one line on stderr"
    grep -qE "$4" "$work/err" || wrong "$1: expected on stderr: $4"
    echo "$1${5:+ $5}: exit $status: $(cat "$work/err")"
}
# One rank alone has no GPU.
try without 3 77 \
    '^rank 1: error: --comm nccl: no NCCL here: no GPU that CUDA can use: use --comm mpi$'
# A rank is missing: at the start of NCCL; in an all-reduce, while the
# others' hosts wait for their streams.
try start 3 2 '^rank 0: error: NCCL: start of 3 ranks: not done after 4 s'
try absent 3 2 '^rank 0: error: NCCL: all-reduce of 1000 elements: not done after 4 s'
try absent 3 2 '^rank 1: error: NCCL: all-reduce of 1000 elements: not done after 4 s' \
    FIRST_ABSENT=1
# The end of NCCL, which waits for the other ranks.
try end 2 2 '^rank 0: error: NCCL: end of 2 ranks: not done after 4 s'
# Errors that NCCL itself reports, in the middle of an all-reduce, and at once.
try link 3 2 \
    '^rank 0: error: NCCL: remote process .*\(connection closed by peer\).* all-reduce of 1000'
# The GPU's, while the host waits elsewhere.
try gpu 2 2 \
    '^rank 0: error: NCCL: the GPU failed: .*; the last call was all-reduce of 1000 elements$'
try call 2 2 \
    '^rank 0: error: .*comm_nccl.c:[0-9]+: ncclAllReduce\(.*\): invalid argument .*NCCL_DEBUG'
exit $failed
