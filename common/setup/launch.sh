#!/usr/bin/env bash
# launch.sh [--np P] [--hosts a:4,b:4] PROGRAM ARGUMENTS…: start P ranks of a program. Only this
# script knows mpirun.
#
# One rank without hosts is the program itself, without mpirun. Otherwise mpirun runs quietly: only
# the ranks report a failure, once. The exit status is that of the run: 0, 1, 2 or 77 as the ranks
# ended, 2 if they could not be started, 128 + signal if one was killed. Ctrl-C reaches every rank
# as SIGUSR1, which mpirun passes on and leaves to them (after SIGINT or SIGTERM it would kill them
# within a second); a second Ctrl-C ends them at once.
set -u

fail() { echo "error: $*" >&2; exit 2; }
usage="use: launch.sh [--np P] [--hosts a:4,b:4] PROGRAM ARGUMENTS…"

np='' hosts=''
while [ $# -gt 0 ]; do
    case $1 in
        --np | --hosts)
            [ $# -gt 1 ] || fail "$1: its value is missing"
            if [ "$1" = --np ]; then np=$2; else hosts=$2; fi
            shift 2 ;;
        --np=*) np=${1#*=}; shift ;;
        --hosts=*) hosts=${1#*=}; shift ;;
        -*) fail "launch.sh $1: unknown; $usage" ;;
        *) break ;;
    esac
done
[ $# -gt 0 ] || fail "launch.sh: no program; $usage"
[[ -z $np || $np =~ ^[1-9][0-9]{0,5}$ ]] ||
    fail "--np $np: not a number of ranks: expected 1 or more"
one_host='[^:,[:space:]]+(:[1-9][0-9]*)?'
[[ -z $hosts || $hosts =~ ^$one_host(,$one_host)*$ ]] ||
    fail "--hosts $hosts: expected host:ranks,… as in a:4,b:4"
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

# A waiting thread yields its core: that saves a run on a busy laptop. But GCC's first spins for
# some microseconds: the next kernel of a small batch comes sooner than a core could sleep and wake
# up.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-500}

[ "$np" -gt 1 ] || [ -n "$hosts" ] || exec "$@"

program=${MPIRUN:-mpirun} # MPIRUN: use this one instead
type -P "$program" >/dev/null ||
    fail "$program is not installed: 2 or more ranks need Open MPI: 'make doctor'"

cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
threads=$((cores / most > 0 ? cores / most : 1))
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads}

# No warnings about networks and plug-ins that this machine lacks; no stack dumps: a debugger shows
# more.
export OMPI_MCA_mca_base_component_show_load_errors=0
export PMIX_MCA_mca_base_component_show_load_errors=0
export OMPI_MCA_btl_base_warn_component_unused=0 OMPI_MCA_opal_signal=
export PMIX_MCA_gds=hash HWLOC_HIDE_ERRORS=2
[ "$(id -u)" != 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# A rank writes to mpirun's pseudo-terminal and cannot see the real one: this is its width (0: no
# terminal).
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
    # nothing else is passed to other hosts; NCCL_HOSTID belongs to one machine
    for name in OMP_NUM_THREADS OMP_WAIT_POLICY GOMP_SPINCOUNT LABS_COLUMNS LABS_AUDIT \
        LABS_COMM_SECONDS DATA_DIR HEADLESS "${!NCCL_@}"; do
        [ -z "${!name+set}" ] || [ "$name" = NCCL_HOSTID ] || options+=(-x "$name")
    done
elif [ -z "${SLURM_JOB_ID-}${PBS_JOBID-}${LSB_JOBID-}" ]; then
    # On this machine only: shared memory, no network, no ssh. Under the batch systems above there
    # may be more machines.
    export OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader} OMPI_MCA_pml=${OMPI_MCA_pml:-ob1}
    export OMPI_MCA_plm=${OMPI_MCA_plm:-isolated}
    # mpirun looks up its own machine's name: a name server that does not answer may cost it one
    # second, not five.
    export RES_OPTIONS=${RES_OPTIONS:-timeout:1 attempts:1}
    if [ "$np" -gt "$cores" ]; then options+=(--oversubscribe)
    else options+=(--use-hwthread-cpus); fi
    # A container's system-call filter may forbid ranks to read each other's memory, and /dev/shm
    # may be read-only.
    if grep -qs '^Seccomp:[[:space:]]*2' /proc/self/status; then
        export OMPI_MCA_btl_vader_single_copy_mechanism=none
    fi
    [ -w /dev/shm ] || export OMPI_MCA_btl_vader_backing_directory="${TMPDIR:-/tmp}"
fi

signals=0 first_signal='' killer='' ended_by_us=''
# shellcheck disable=SC2317 # both functions are called by the traps
end_ranks() {
    signals=$((signals + 1)) ended_by_us=yes
    kill -TERM "$mpirun"
}
# A program that still runs 10 s after SIGTERM is ended; after Ctrl-C a person can press it again.
# shellcheck disable=SC2317
on_signal() { # name
    signals=$((signals + 1))
    if [ "$first_signal" = INT ] && [ "$1" = INT ]; then
        end_ranks
    elif [ -z "$first_signal" ]; then
        first_signal=$1
        kill -USR1 "$mpirun"
        [ "$1" != INT ] || return
        set -m # so that the timer can be killed together with its sleep
        { sleep 10; kill -ALRM $$; } >/dev/null 2>&1 &
        killer=$!
        set +m
    fi
}

# A separate process group (set -m) keeps the terminal's Ctrl-C from mpirun; pdeathsig ends it with
# this script.
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
    [ "$before" != "$signals" ] || break # a signal interrupts wait
done
[ -z "$killer" ] || kill -- "-$killer" 2>/dev/null

if [ "$signals" -gt 0 ]; then
    # The ranks' own status if they stopped by themselves; 130 or 143 if they were killed.
    [ $status -le 128 ] && [ -z "$ended_by_us" ] || status=$((128 + $(kill -l "$first_signal")))
    exit $status
fi
# mpirun's own status looks like a rank's. Did the ranks start at all? See whether 'true' does.
if [ $status = 1 ] || [ $status -gt 125 ]; then
    if ! words=$("$program" "${options[@]}" true </dev/null 2>&1); then
        echo "$words" >&2
        fail "$program cannot start $np ranks here, for the reason above"
    fi
fi
if [ $status -gt 128 ] && name=$(kill -l $((status - 128)) 2>/dev/null); then
    hint=''
    [ "$name" != KILL ] || hint=', as the system does when memory runs out'
    echo "error: a rank was killed by signal $((status - 128)) (SIG$name$hint):" \
         "all ranks were ended; a run with checkpoints resumes with --resume" >&2
fi
exit $status
