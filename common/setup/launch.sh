#!/usr/bin/env bash
# launch.sh [--np P] [--hosts a:4,b:4] PROGRAM ARGUMENTS…: start P ranks of a program. The one place that knows mpirun.
#
# One rank without hosts is the program itself, without mpirun. Otherwise mpirun runs, quietly: what the ranks say about a
# failure is all that is said, once. Its exit status is the run's: 0, 1, 2 or 77 as the ranks ended, 2 when they could not be
# started, 128 + signal when one was killed. Ctrl-C reaches every rank as SIGUSR1, which mpirun passes on and leaves to them
# (after SIGINT or SIGTERM it would kill them within a second); a second Ctrl-C ends them at once.
set -u

fail() { echo "error: $*" >&2; exit 2; }

np='' hosts=''
while [ $# -gt 0 ]; do
    case $1 in
        --np | --hosts)
            [ $# -gt 1 ] || fail "$1: its value is missing"
            if [ "$1" = --np ]; then np=$2; else hosts=$2; fi
            shift 2 ;;
        --np=*) np=${1#*=}; shift ;;
        --hosts=*) hosts=${1#*=}; shift ;;
        -*) fail "launch.sh $1: unknown; use: launch.sh [--np P] [--hosts a:4,b:4] PROGRAM ARGUMENTS…" ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || fail "launch.sh: no program; use: launch.sh [--np P] [--hosts a:4,b:4] PROGRAM ARGUMENTS…"
[[ -z $np || $np =~ ^[1-9][0-9]{0,5}$ ]] || fail "--np $np: not a number of ranks: expected 1 or more"
one_host='[^:,[:space:]]+(:[1-9][0-9]*)?'
[[ -z $hosts || $hosts =~ ^$one_host(,$one_host)*$ ]] || fail "--hosts $hosts: expected host:ranks,… as in a:4,b:4"
[ -n "$(type -P "$1")" ] || fail "$1: no such program: build it first (make all)"

# Ranks per host: a:4,b:2 has 4 and 2; a host without a number has 1.
total=0 most=1
for host in ${hosts//,/ }; do
    slots=1
    case $host in *:*) slots=${host##*:} ;; esac
    total=$((total + slots))
    [ "$slots" -le "$most" ] || most=$slots
done
: "${np:=$((total > 0 ? total : 1))}"
[ -n "$hosts" ] || most=$np

# A thread that waits leaves its core to whoever else is there: saves a run on a busy laptop. But GCC's looks out for work for some microseconds
# first: the next kernel of a small batch comes sooner than a core falls asleep and wakes up.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-500}

[ "$np" -gt 1 ] || [ -n "$hosts" ] || exec "$@"

program=${MPIRUN:-mpirun} # MPIRUN: another one than PATH's
type -P "$program" >/dev/null || fail "$program is not installed: 2 or more ranks need Open MPI: 'make doctor'"

cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
threads=$((cores / most > 0 ? cores / most : 1))
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads}

# No warnings about networks and plug-ins that this machine does not have; no stack dumps: a debugger shows more.
export OMPI_MCA_mca_base_component_show_load_errors=0 PMIX_MCA_mca_base_component_show_load_errors=0
export OMPI_MCA_btl_base_warn_component_unused=0 PMIX_MCA_gds=hash HWLOC_HIDE_ERRORS=2 OMPI_MCA_opal_signal=
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# A rank writes to a pseudo-terminal of mpirun's and cannot see where that leads: to how many columns (0: no terminal).
export LABS_COLUMNS=0
if [ -t 1 ]; then
    exec 3>&1
    size=$(stty size 2>/dev/null <&3 || echo 24 80) LABS_COLUMNS=80
    [ "${size#* }" = 0 ] || LABS_COLUMNS=${size#* }
    exec 3>&-
fi

options=(--np "$np" --bind-to none) # the backend pins its threads itself
if [ -n "$hosts" ]; then
    options+=(-H "$hosts")
    # nothing else goes to other hosts; NCCL_HOSTID is one machine's own
    for name in OMP_NUM_THREADS OMP_WAIT_POLICY GOMP_SPINCOUNT LABS_COLUMNS LABS_AUDIT LABS_COMM_SECONDS DATA_DIR HEADLESS \
        "${!NCCL_@}"; do
        [ -z "${!name+set}" ] || [ "$name" = NCCL_HOSTID ] || options+=(-x "$name")
    done
elif [ -z "${SLURM_JOB_ID-}${PBS_JOBID-}${LSB_JOBID-}" ]; then
    # On this machine only: shared memory, no network, no ssh. The batch systems above know of more machines.
    export OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader} OMPI_MCA_pml=${OMPI_MCA_pml:-ob1}
    export OMPI_MCA_plm=${OMPI_MCA_plm:-isolated}
    # mpirun looks its own machine's name up: a name server that does not answer may cost it a second, not five.
    export RES_OPTIONS=${RES_OPTIONS:-timeout:1 attempts:1}
    if [ "$np" -gt "$cores" ]; then options+=(--oversubscribe); else options+=(--use-hwthread-cpus); fi
    # A container's system-call filter may forbid one rank to read another's memory; and /dev/shm may be closed.
    grep -qs '^Seccomp:[[:space:]]*2' /proc/self/status && export OMPI_MCA_btl_vader_single_copy_mechanism=none
    [ -w /dev/shm ] || export OMPI_MCA_btl_vader_backing_directory="${TMPDIR:-/tmp}"
fi

signals=0 first_signal='' killer='' ended_by_us=''
# shellcheck disable=SC2317 # both functions are called by the traps
end_ranks() {
    signals=$((signals + 1)) ended_by_us=yes
    kill -TERM "$mpirun"
}
# A program that goes on for 10 s after SIGTERM is ended; after Ctrl-C a person can press it again.
# shellcheck disable=SC2317
on_signal() { # name
    signals=$((signals + 1))
    if [ "$first_signal" = INT ] && [ "$1" = INT ]; then
        end_ranks
    elif [ -z "$first_signal" ]; then
        first_signal=$1
        kill -USR1 "$mpirun"
        [ "$1" != INT ] || return
        set -m # so that the clock can be stopped with its sleep
        { sleep 10; kill -ALRM $$; } >/dev/null 2>&1 &
        killer=$!
        set +m
    fi
}

# A process group of its own (set -m) keeps the terminal's Ctrl-C from mpirun; pdeathsig ends it with this script.
with_me=()
type -P setpriv >/dev/null && with_me=(setpriv --pdeathsig TERM)
set -m
"${with_me[@]}" "$program" -q "${options[@]}" "$@" </dev/null &
mpirun=$!
set +m
trap 'on_signal INT' INT
trap 'on_signal TERM' TERM HUP
trap end_ranks ALRM
status=0
while true; do
    before=$signals
    wait "$mpirun" 2>/dev/null; ended=$?
    [ $ended = 127 ] || status=$ended # 127: its status was already taken
    [ "$before" != "$signals" ] || break # a signal cuts wait short
done
[ -z "$killer" ] || kill -- "-$killer" 2>/dev/null

if [ "$signals" -gt 0 ]; then
    # The ranks' own status where they stopped by themselves; 130 or 143 where they were ended.
    [ $status -le 128 ] && [ -z "$ended_by_us" ] || status=$((128 + $(kill -l "$first_signal")))
    exit $status
fi
# A status of mpirun's own looks like a rank's. Did the ranks start at all? See whether it can start nothing much.
if [ $status = 1 ] || [ $status -gt 125 ]; then
    if ! words=$("$program" "${options[@]}" true </dev/null 2>&1); then
        echo "$words" >&2
        fail "$program cannot start $np ranks here, for the reason above"
    fi
fi
if [ $status -gt 128 ] && name=$(kill -l $((status - 128)) 2>/dev/null); then
    hint=''
    [ "$name" != KILL ] || hint=', as the system does when memory runs out'
    echo "error: a rank was killed by signal $((status - 128)) (SIG$name$hint): all ranks were ended;" \
         "a run with checkpoints goes on with --resume" >&2
fi
exit $status
