#!/usr/bin/env bash
# seconds: 600
# waits: yes
# The launcher: what it refuses, what it passes to the ranks, how Ctrl-C, Ctrl-Z, SIGTERM and its
# own death reach them.
# shellcheck disable=SC2016 # the ranks' shells expand what stands in single quotes
set -um # -m: what runs in the background can be interrupted, as from a terminal
unset LABS_STOP_SECONDS
launch=common/setup/launch.sh
scenario=$BUILD/tests/test_comm_faults
. tests/e2e/_work.sh
. tests/e2e/_processes.sh

expect() { # what status stdout-or-stderr-line command…
    local what=$1 status=$2 line=$3 got
    shift 3
    "$@" >"$work/out" 2>"$work/err" </dev/null; got=$?
    [ $got = "$status" ] || wrong "$what: exit status $got, expected $status"
    cat "$work/out" "$work/err" | grep -qE -- "$line" || wrong "$what: expected a line like: $line"
    [ "$status" = 0 ] || [ "$(wc -l <"$work/err")" = 1 ] ||
        wrong "$what: expected one line on stderr"
    echo "$what: exit $got: $(head -n 1 "$work/err")"
}

expect "no program" 2 "no program" $launch --np 2
expect "a missing program" 2 "^error: ./none: no such program" $launch --np 2 ./none
expect "a bad count" 2 "^error: --np 0: not a number of ranks" $launch --np 0 true
expect "a bad count" 2 "^error: --np two: not a number of ranks" $launch --np=two true
expect "no value" 2 "^error: --np: its value is missing" $launch --np
expect "bad hosts" 2 "^error: --hosts a:x: expected" $launch --hosts a:x true
expect "an unknown option" 2 "^error: launch.sh --ranks: unknown" $launch --ranks 2 true
expect "no mpirun" 2 "^error: no-mpirun is not installed: 2 or more ranks need Open MPI" \
    env MPIRUN=no-mpirun $launch --np 2 true
expect "one rank needs no mpirun" 0 "^alone$" \
    env MPIRUN=no-mpirun $launch --np 1 sh -c 'echo "alone$OMPI_COMM_WORLD_SIZE"'
expect "one rank's status" 7 "^why$" $launch sh -c 'echo why >&2; exit 7'
expect "a program that a rank cannot start" 127 "^error: (a )?rank.* ended with exit status 127" \
    $launch --np 2 sh -c 'exit 127'
expect "no ssh" 2 "^error: --hosts: no-ssh is not installed here" \
    env OMPI_MCA_plm_rsh_agent=no-ssh $launch --hosts a,b true
expect "more ranks than cores" 0 "^9 of 9$" $launch --np 9 \
    sh -c 'echo "$((OMPI_COMM_WORLD_RANK + 1)) of $OMPI_COMM_WORLD_SIZE"'
expect "hosts" 0 "^2 of 2$" $launch --hosts localhost:2 \
    sh -c 'echo "$((OMPI_COMM_WORLD_RANK + 1)) of $OMPI_COMM_WORLD_SIZE"'
expect "what goes to other hosts" 0 " -x NCCL_DEBUG true$" \
    env -i PATH="$PATH" HOME="$HOME" MPIRUN=echo NCCL_DEBUG=WARN NCCL_HOSTID=a \
    $launch --hosts a,b true
printf '%s\n' '#!/bin/sh' 'echo "[warn] Epoll MOD(1) on fd 27 failed." >&2' 'exit 3' >"$work/mpirun"
chmod +x "$work/mpirun"
expect "libevent's warning" 3 "^error: a rank ended with exit status 3" \
    env MPIRUN="$work/mpirun" $launch --np 2 true
expect "arguments as they are" 0 "^a b,,\*$" $launch --np 2 sh -c 'echo "$1,$2,$3"' sh "a b" "" "*"

cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
per_rank=$((cores / 2 > 0 ? cores / 2 : 1))
expect "a fraction of the cores" 0 "^$per_rank threads$" env -u OMP_NUM_THREADS \
    $launch --np 2 sh -c 'echo "$OMP_NUM_THREADS threads"'
expect "the user's threads" 0 "^5 threads$" \
    env OMP_NUM_THREADS=5 $launch --np 2 sh -c 'echo "$OMP_NUM_THREADS threads"'

# hwloc's plug-in for X would wait for a display that hangs: with several ranks, and with one.
if command -v Xvfb >/dev/null; then
    Xvfb -displayfd 3 3>"$work/display" >/dev/null 2>&1 &
    hangs=$!
    within 60 test -s "$work/display"
    kill -STOP $hangs
    expect "a display that hangs, 2 ranks" 0 "PASSED" timeout 120 $launch --np 2 \
        "$BUILD/tests/test_comm" auto_2
    expect "a display that hangs, one rank" 0 "PASSED" timeout 120 "$BUILD/tests/test_comm" mpi_1
    kill -KILL $hangs
fi

# ---- what containers and batch systems limit ----
train=("$BUILD/sol/lab2_ddp/3_train" --model mlp --hidden 16 --images 64 --test-images 8 --batch 8
    --epochs 1 --data synthetic --out "$work/run")
expect "a batch job of one task" 0 "^2 ranks$" env SLURM_JOBID=1 SLURM_NODELIST="$(uname -n)" \
    SLURM_TASKS_PER_NODE=1 SLURM_NNODES=1 SLURM_JOB_NUM_NODES=1 \
    $launch --np 2 sh -c 'echo "$OMPI_COMM_WORLD_SIZE ranks"'
[ -n "${SAN-}" ] || expect "few addresses" 2 "error: 8 threads with OpenBLAS map .* leaves this" \
    bash -c 'ulimit -v 900000; exec "$@" --threads 8' bash "$BUILD/sol/lab3_scale/6_optimisers" \
    --out "$work/run"
# Root has no such limit. Nobody may have other processes here.
nobody=(setpriv --reuid 65534 --clear-groups)
if [ "$(id -u)" = 0 ] && "${nobody[@]}" test -x "$launch" -a -x "${train[0]}" 2>/dev/null; then
    for limit in '1 1 and this needs 6' '1 2 and this needs 6' '12 2 2 ranks need'; do
        read -r limit np words <<<"$limit"
        expect "ulimit -u $limit, $np ranks" 2 \
            "^error: at most [0-9]+ more processes and threads are allowed here, $words" \
            "${nobody[@]}" bash -c "ulimit -u $limit; exec $launch --np $np true"
    done
else echo "not root, no setpriv or a private folder: a limit of processes is not tested"
fi
if [ -n "${SAN-}" ]; then echo "no limits under sanitizers"
elif unshare -mn true 2>/dev/null; then
    # shellcheck disable=SC2317 # expect calls it
    in_container() { unshare -m sh -ec "$1"'; shift; exec "$@"' sh "$@"; }
    expect "no network" 2 "error: no network interface is up here" unshare -n $launch --np 2 true
    expect "a small /dev/shm" 0 "^ok$" in_container 'mount -t tmpfs -o size=1m none /dev/shm' \
        $launch --np 2 echo ok
    expect "no room" 2 "error: no folder for .* /dev/shm has 1 MB free; .* has 1 MB free" \
        in_container 'for at in /dev/shm /tmp; do mount -t tmpfs -o size=1m none $at; done
            export TMPDIR=/tmp' $launch --np 2 true
    own=$(sed -n 's/^0:://p' /proc/self/cgroup)
    limit='mount -t tmpfs none /sys/fs/cgroup; cd /sys/fs/cgroup; mkdir -p .'"$own"'; cd .'"$own"'
        echo 50000 100000 >cpu.max; echo 100 >pids.max; echo 1 >pids.current; cd '"$PWD"
    expect "half a processor" 0 "device *CPU, 1 thread" in_container "$limit" "${train[@]}"
    expect "few processes" 2 "error: at most 99 more processes" \
        in_container "$limit" $launch --np 32 true
    expect "little memory" 2 "error: .* 95 MB of memory, and 2 ranks need at least 120 MB: use" \
        in_container "$limit; echo 100000000 >/sys/fs/cgroup/.$own/memory.max" $launch --np 2 true
else echo "no namespaces here (unshare): a container's limits are not tested"
fi

columns='echo "columns $LABS_COLUMNS"'
expect "no terminal" 0 "^columns 0$" $launch --np 2 sh -c "$columns"
if script -qec true /dev/null >/dev/null 2>&1; then
    expect "a terminal" 0 "columns 123" \
        script -qec "stty cols 123; $launch --np 2 sh -c '$columns'" /dev/null
else echo "no pseudo-terminals here (/dev/pts): a terminal's width is not tested"
fi

# ---- signals ----
ranks_are_gone() { within 60 none rank_alive "$work/out"; }

start() { # scenario: two ranks in the background as $run, ready to be interrupted
    : >"$work/out" # not the last run's ranks
    $launch --np 2 "$scenario" --scenario "$1" >"$work/out" 2>"$work/err" </dev/null &
    run=$!
    within 60 ranks_said 2 "$work/out" || wrong "$1 does not start"
}

export LABS_STOP_SECONDS=60 # these stop in good order, on a busy machine later
signals='INT HUP'
[ -z "${ALL-}" ] || signals='INT TERM HUP QUIT'
for signal in $signals; do
    start steps
    kill -$signal -- -$run # the whole foreground group, as a terminal does
    wait $run; status=$?
    [ $status = 0 ] || wrong "$signal: exit status $status, expected 0"
    [ "$(grep -c 'stopped in good order' "$work/out")" = 2 ] ||
        wrong "$signal: not every rank stopped in good order"
    [ ! -s "$work/err" ] || wrong "$signal: expected no message"
    echo "SIG$signal: both ranks stopped in good order"
done

# Ctrl-Z, and fg.
all_are() { # state
    local pid
    for pid in $(rank_pids "$work/out"); do
        grep -q "^State:[[:space:]]*[$1]" "/proc/$pid/status" || return
    done
}
start steps
kill -TSTP -- -$run
within 60 all_are T || wrong "Ctrl-Z: a rank continues"
sleep 1 # the guard looks five times a second
all_are T || wrong "Ctrl-Z: a rank continues by itself"
kill -CONT -- -$run
within 60 all_are RS || wrong "fg: a rank is still stopped"
kill -INT -- -$run
wait $run; status=$?
[ $status = 0 ] || wrong "Ctrl-C after fg: exit status $status, expected 0"
echo "Ctrl-Z: both ranks stopped and continued"

unset LABS_STOP_SECONDS

# Ctrl-C just as a part ends: the next one does not start.
printf '%s\n' '#!/bin/sh' 'trap "" INT; echo started >>"$0.out"; sleep 2' >"$work/part"
chmod +x "$work/part"
common/setup/parts.sh run lab1_gd "$work/part" "$work/part" -- >"$work/out" 2>&1 &
run=$!
within 60 test -e "$work/part.out" && kill -INT -- -$run
wait $run; status=$?
[ $status = 130 ] && [ "$(wc -l <"$work/part.out")" = 1 ] ||
    wrong "Ctrl-C as a part ends: exit status $status, $(wc -l <"$work/part.out") parts started"

start stubborn
kill -INT -- -$run
both_asked() { [ "$(grep -c 'was asked to stop' "$work/out")" = 2 ]; }
within 60 both_asked && rank_alive "$work/out" ||
    wrong "the first Ctrl-C should spare ranks that ignore it"
kill -INT -- -$run
wait $run; status=$?
[ $status = 130 ] || wrong "second Ctrl-C: exit status $status, expected 130"
ranks_are_gone || wrong "second Ctrl-C: a rank is still there"
echo "a second Ctrl-C ends ranks that do not stop"

start stubborn
kill -TERM $run
wait $run; status=$?
[ $status = 143 ] || wrong "SIGTERM to ranks that do not stop: exit status $status, expected 143"
ranks_are_gone || wrong "SIGTERM: a rank is still there"
late='^error: the ranks had not stopped within LABS_STOP_SECONDS=3 of a signal (SIGTERM)'
grep -q "$late" "$work/err" ||
    wrong "SIGTERM to ranks that do not stop: no line says so"
echo "after SIGTERM, ranks that do not stop are ended"

start stubborn
kill -KILL $run
wait $run 2>/dev/null
if ! ranks_are_gone; then
    type -P setpriv >/dev/null && wrong "the launcher was killed: its ranks are still there"
    for pid in $(rank_pids "$work/out"); do kill -KILL "$pid"; done
fi
echo "the launcher killed: its ranks are gone"

# nohup and disown stay possible: without LABS_PARENT nobody is watched, and SIGHUP stays ignored.
: >"$work/out"
bash -c "nohup $launch --np 2 $scenario --scenario steps >$work/out 2>$work/err </dev/null & disown
    echo \$!" >"$work/pid"
run=$(cat "$work/pid")
within 60 ranks_said 2 "$work/out"
kill -HUP "$run"
grep -q '^SigIgn:.*[13579bdf]$' "/proc/$run/status" || wrong "nohup: it does not ignore SIGHUP"
rank_alive "$work/out" && kill -0 "$run" || wrong "nohup: the run ended with the shell"
kill -TERM "$run"
within 60 none kill -0 "$run" 2>/dev/null || wrong "nohup: SIGTERM does not stop it"
echo "nohup: it outlives its shell and SIGHUP, not SIGTERM"

# With LABS_PARENT, one rank and several end with any process up to that one.
for np in 1 2; do
    : >"$work/out"
    bash -c "LABS_PARENT=\$\$ bash -c '$launch --np $np $scenario --scenario steps; :'; :" \
        >"$work/out" 2>"$work/err" </dev/null &
    parent=$!
    within 60 ranks_said $np "$work/out"
    kill -KILL $parent
    wait $parent 2>/dev/null
    ranks_are_gone || wrong "$np ranks outlive the process of LABS_PARENT"
    echo "$np ranks end with the process of LABS_PARENT"
done
exit $failed
