#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# The batch script under Slurm, on two emulated hosts (_hosts.sh), where slurmd and slurmctld are
# installed: two ranks on one node; a stop before the time limit, and the job that resumes; two
# nodes with two ranks each; a job whose rank dies has failed, and leaves nothing.
# shellcheck disable=SC2016 # $ in quotes is for other shells
set -u
work=$(mktemp -d)
trap 'hosts_down; rm -rf "$work"' EXIT
. tests/e2e/_hosts.sh
. tests/e2e/_processes.sh
PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd sbatch; do
    type -P $tool >/dev/null ||
        { echo "skipped: no $tool (Debian: slurmctld slurmd slurm-client)"; exit 77; }
done
hosts_up || exit 77
mkdir "$work/state" "$work/spool.labs-a" "$work/spool.labs-b" "$work/tmp.b"
cat >"$work/slurm.conf" <<EOF
ClusterName=labs
SlurmctldHost=labs-a(10.77.0.1)
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
KillWait=5
NodeName=labs-a NodeAddr=10.77.0.1 CPUs=2
NodeName=labs-b NodeAddr=10.77.0.2 CPUs=2
PartitionName=labs Nodes=ALL Default=YES MaxTime=INFINITE State=UP
EOF
export SLURM_CONF=$work/slurm.conf
unset OMPI_MCA_plm_rsh_agent # Slurm starts the daemons itself
on_a slurmctld -D >"$work/slurmctld.log" 2>&1 &
on_a slurmd -D -N labs-a >"$work/slurmd.labs-a.log" 2>&1 &
on_b slurmd -D -N labs-b >"$work/slurmd.labs-b.log" 2>&1 &
both_idle() { [ "$(on_a sinfo -h -t idle -o %D 2>/dev/null)" = 2 ]; }
within 60 both_idle ||
    { echo "skipped: Slurm's nodes do not come up: $(on_a sinfo -h -N -o '%N %T' | paste -sd ';')"
      tail -n 3 "$work"/slurm*.log; exit 77; }

export PROGRAM=$BUILD/sol/lab2_ddp/3_train
small="--data synthetic --model mlp --hidden 64 --images 640 --test-images 100 --batch 8"
small="$small --rate 0.01 --threads 1" # sums are split over the threads
failed=0
wrong() { echo "wrong: $*"; sed 's/^/    /' "$work"/*.job "$work/err"; failed=1; }
job() { # name, options of sbatch…, --, options of 3_train…: sets status
    local name=$1 options=()
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    rm -f "$work"/*.job
    # shellcheck disable=SC2086 # words
    OUT=$work/$name on_a timeout 90 sbatch -o "$work/$name.job" "${options[@]}" \
        lab2_ddp/cluster/train.sbatch $small "$@" >"$work/err" 2>&1
    status=$?
}
idle() { # both nodes have nothing to do, and no rank is left
    within 60 both_idle || wrong "$1: the nodes are not free again"
    ! hosts_running | grep 3_train || wrong "$1: ranks are left"
    [ -z "$(on_a ls -A /dev/shm)$(on_b ls -A /dev/shm)" ] || wrong "$1: shared memory is left"
}
log() { cat "$work"/*.job; }
step_of() { sed -n 's/^stopped after update \([0-9]*\);.*/\1/p' "$work/$1.job"; }

job one -W -- --epochs 1
[ $status = 0 ] && log | grep -q ' 2 ranks on labs-a$' && log | grep -q '^  ranks     2$' &&
    log | grep -q '^test accuracy' || wrong "one node: status $status"
idle "one node"
echo "one node: $(log | head -n 1)"

job stop -- --epochs 100000 --checkpoint-every 10
training_runs "$work/stop"
on_a scancel --batch --signal=TERM "$(on_a squeue -h -o %i)" # as --signal=B:TERM@60 does
idle "stopped"
step=$(step_of stop)
[ -n "$step" ] || wrong "SIGTERM to the job: it does not stop in good order"
job stop -W -- --epochs 100000 --steps $((step + 5))
[ $status = 0 ] && [ "$(step_of stop)" = $((step + 5)) ] || wrong "submitted again: status $status"
echo "stopped after update $step, submitted again: stopped after update $(step_of stop)"

job two -W --nodes=2 -- --epochs 1
[ $status = 0 ] && log | grep -q ' 4 ranks on labs-a,labs-b$' && log | grep -q '^  ranks     4$' &&
    log | grep -q '^test accuracy' || wrong "two nodes: status $status"
# shellcheck disable=SC2086 # words
common/setup/launch.sh --np 4 "$PROGRAM" $small --epochs 1 --out "$work/here" >"$work/err" 2>&1 &&
    cmp "$work/here/lab2_train/checkpoint.safetensors" \
        "$work/two/lab2_train/checkpoint.safetensors" || wrong "two nodes make another checkpoint"
idle "two nodes"
echo "two nodes: $(log | head -n 1)"

job killed --nodes=2 -- --epochs 100000 --checkpoint-every 10
training_runs "$work/killed"
on_a sh -c 'kill -KILL $(grep -lsz "^OMPI_COMM_WORLD_RANK=3" /proc/[0-9]*/environ | cut -d / -f 3)'
idle "a rank killed"
log | grep -q '^error: a rank was killed by signal 9' || wrong "a rank killed: no line says so"
[ "$(on_a scontrol show job | grep -o 'JobState=[A-Z]*' | tail -n 1)" = JobState=FAILED ] ||
    wrong "a rank killed: the job has not failed"
echo "a rank killed: $(log | grep ^error:)"
exit $failed
