#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# The real NCCL with 2 and 4 ranks on a single GPU: it refuses ranks of one machine that share a
# GPU, so each rank pretends to be on another machine, and they communicate over the loopback. NCCL
# does not support that: it is for tests. Also a training whose gradients are recorded as graphs
# and replayed, between all-reduces.
set -u
. tests/e2e/_work.sh
gpus=${CUDA_VISIBLE_DEVICES:-0}
out=$work/out
ranks() { # ranks command…: writes to $out
    local np=$1
    shift
    # shellcheck disable=SC2016 # the ranks' shells expand it
    CUDA_VISIBLE_DEVICES=${gpus%%,*} LABS_COMM_SECONDS=30 timeout 90 common/setup/launch.sh \
        --np "$np" bash -c '
        export NCCL_HOSTID=labs$OMPI_COMM_WORLD_RANK NCCL_NET=Socket NCCL_SOCKET_IFNAME=lo
        export NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1
        exec "$@"' _ "$@" >"$out" 2>&1
}
for np in 2 4; do
    ranks $np "$BUILD/tests/test_comm" nccl_$np; status=$?
    if [ $status = 77 ]; then grep -m 1 skipped "$out"; exit 77; fi
    echo "test_comm, $np ranks: exit $status: $(grep -m 1 'tensors on' "$out")"
    [ $status = 0 ] || wrong "test_comm"
    # twice half a second, with the rate that it prints
    printf '0.5\n0.5\n' >"$work/seconds"
    ranks $np "$BUILD/tests/bench/train_rate" --device cuda --batch 64 --from "$work/seconds"
    status=$?
    echo "train_rate, $np ranks: exit $status: $(tail -n 1 "$out")"
    [ $status = 0 ] && [ "$(grep -c '^[0-9]' "$out")" = 2 ] || wrong "train_rate"
done
exit $failed
