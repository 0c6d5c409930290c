#!/usr/bin/env bash
# launch.sh [--np P] [--hosts a:4,b:4] PROGRAM ARGUMENTS…: start P ranks of a program. Only this
# script knows mpirun.
#
# One rank without hosts is the program itself, without mpirun. Otherwise a failure is reported in
# one line, by the first rank that reports it, else by this script. The exit status is
# that of the run: 0, 1, 2 or 77 as the ranks ended, 2 if they could not be started, 128 + signal if
# one was killed. Ctrl-C, SIGTERM, SIGHUP and SIGQUIT reach every rank as SIGUSR1, a request to stop
# (after SIGINT or SIGTERM mpirun would kill them within a second); ranks that have not stopped
# LABS_STOP_SECONDS (3) later are ended, and a second Ctrl-C ends them at once. guard.sh sees to
# that, and cleans up when this script itself is killed.
set -u
export LC_ALL=C
trap 'exit 130' INT # even if the current command ends with status 0

fail() { # words; no control character of what they quote reaches the terminal
    printf 'error: %s\n' "$(printf %s "$*" | tr '\000-\037\177' '?')" >&2
    exit 2
}
usage="usage: launch.sh [--np P] [--hosts a:4,b:4] PROGRAM ARGUMENTS…"

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

# The limit of processes counts the threads of all programs of this user; root has no limit. Where
# none may be started a shell says only that, again and again: they are counted without one.
left='' # how many more, if that is few
if [ "$EUID" != 0 ]; then
    while read -r what of limit _; do
        [ "$what $of" != 'Max processes' ] || break
    done </proc/self/limits
    if [[ $limit =~ ^[0-9]{1,4}$ ]]; then
        left=$limit
        for status in /proc/[0-9]*/status; do
            while read -r what value _; do
                case $what in
                    Uid:) [ "$value" = "$UID" ] || break ;;
                    Threads:) left=$((left - value)); break ;;
                esac
            done <"$status"
        done 2>/dev/null
    fi
fi
enough() { # how many it needs
    [ -z "$left" ] || [ "$left" -ge "$1" ] || {
        echo "error: at most $((left > 0 ? left : 0)) more processes and threads are allowed" \
            "here, and this needs $1: raise ulimit -u" >&2
        exit 2
    }
}
enough 6
if [ -z "$(type -P "$1")" ]; then
    [ ! -e "$1" ] || [ "$(find "$1" -perm -u+x)" = "" ] ||
        fail "$1: cannot be executed: its file system is mounted noexec; use BUILD=FOLDER elsewhere"
    fail "$1: no such program: build it first (make all)"
fi

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
[ -z "$hosts" ] || [ "$np" -le "$total" ] ||
    fail "--np $np: --hosts $hosts has room for $total ranks: expected host:ranks,… with more"

# A waiting thread yields its core: that saves a run on a busy laptop. But GCC's first spins for
# some microseconds: the next kernel of a small batch comes sooner than a core could sleep and wake
# up.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive} GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-500}

guard=${BASH_SOURCE[0]%/*}/guard.sh
if [ "$np" = 1 ] && [ -z "$hosts" ]; then
    [ -z "$left" ] || enough $((4 + ${OMP_NUM_THREADS:-$(nproc)})) # OpenBLAS's threads
    "$guard" watch $$
    exec "$@"
fi

program=${MPIRUN:-mpirun} # MPIRUN: use this one instead
type -P "$program" >/dev/null ||
    fail "$program is not installed: 2 or more ranks need Open MPI: 'make doctor'"

agent=${OMPI_MCA_plm_rsh_agent:-ssh}
[ -z "$hosts" ] || type -P "${agent%% *}" >/dev/null ||
    fail "--hosts: ${agent%% *} is not installed here: it starts the ranks on other machines"

# With fewer mpirun waits forever: measured at 2, 4 and 8 ranks.
files=$(ulimit -n) needed=$((32 + 6 * most))
[ "$files" = unlimited ] || [ "$files" -ge "$needed" ] ||
    fail "at most $files open files are allowed here; $most ranks need $needed: ulimit -n $needed"

# This process's cgroups, v2 and v1, and those above them: what a container or batch system allows.
cgroups() {
    local names path
    while IFS=: read -r _ names path; do
        while echo "/sys/fs/cgroup/${names#name=}$path" && [ -n "$path" ]; do path=${path%/*}; done
    done </proc/self/cgroup
}
cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
processes='' memory='' # how many more may be started; MB for all of them
while read -r folder; do
    quota='' period='' limit='' now=''
    { read -r quota period <"$folder/cpu.max" || {
        read -r quota <"$folder/cpu.cfs_quota_us" && read -r period <"$folder/cpu.cfs_period_us"
    }; } 2>/dev/null
    if [[ $quota =~ ^[1-9][0-9]*$ ]] && [ $(((quota + period - 1) / period)) -lt "$cores" ]; then
        cores=$(((quota + period - 1) / period))
    fi
    { read -r limit <"$folder/pids.max" && read -r now <"$folder/pids.current"; } 2>/dev/null
    if [[ $limit =~ ^[0-9]+$ ]] && [ $((limit - now)) -lt "${processes:-$limit}" ]; then
        processes=$((limit - now))
    fi
    limit=
    { read -r limit <"$folder/memory.max" || read -r limit <"$folder/memory.limit_in_bytes"; } \
        2>/dev/null
    if [[ $limit =~ ^[0-9]{1,18}$ ]]; then # without a limit v2 has a word there, v1 19 digits
        limit=$((limit >> 20))
        [ -n "$memory" ] && [ "$memory" -le $limit ] || memory=$limit
    fi
done < <(cgroups 2>/dev/null)
needed=$((40 + 40 * most)) # mpirun; Open MPI and a small network
[ -z "$memory" ] || [ "$memory" -ge $needed ] ||
    fail "this container or job may use $memory MB of memory, and $most ranks need at least" \
        "$needed MB: use fewer ranks (NP=), or raise the limit"
threads=$((cores / most > 0 ? cores / most : 1))
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-$threads}

if [ -n "$left" ] && [ "$left" -lt "${processes:-10000}" ]; then processes=$left; fi
needed=$((10 + most * (5 + OMP_NUM_THREADS))) # Open MPI 2, OpenBLAS 1, reading data 2
[ -z "$processes" ] || [ "$processes" -ge "$needed" ] ||
    fail "at most $((processes > 0 ? processes : 0)) more processes and threads are allowed here," \
        "$most ranks need $needed: use fewer ranks (NP=), or raise ulimit -u or pids.max"

# No warnings about networks and plug-ins that this machine lacks; no stack dumps: a debugger shows
# more.
export OMPI_MCA_mca_base_component_show_load_errors=0
export PMIX_MCA_mca_base_component_show_load_errors=0
export OMPI_MCA_btl_base_warn_component_unused=0 UCX_HANDLE_ERRORS=none OMPI_MCA_opal_signal=
export PMIX_MCA_gds=hash HWLOC_HIDE_ERRORS=2
# mpirun, too, is not to ask the X displays :0 to :9 for GPUs (comm_mpi.c).
export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:--gl}
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

# mpirun and its ranks find each other over a network interface, if only the loopback one.
[ ! -r /proc/net/fib_trie ] || grep -q LOCAL /proc/net/fib_trie ||
    fail "no network interface is up here, not even the loopback one, which $np ranks need:" \
        "ip link set lo up"

# All files of the run, shared memory included, are in one folder, which guard.sh removes if this
# script is killed: in memory, where a full or read-only disk does not matter, or in LABS_RUNS. Open
# MPI requires 4.4 MB free per rank, of which a rank uses little.
run='' room='' needed=$((5 + most / 4)) # MB
for folder in "${LABS_RUNS:-/dev/shm}" "${TMPDIR:-/tmp}"; do
    free=$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')
    if [ "${free:-$needed}" -ge "$needed" ]; then
        run=$(mktemp -d "$folder/labs.XXXXXX" 2>/dev/null) && break
        room+=" $folder cannot be written to;"
    else room+=" $folder has $free MB free;"
    fi
    run=''
done
[ -n "$run" ] || fail "no folder for this run's shared memory, $needed MB, in /dev/shm or TMPDIR:" \
    "${room:1} set TMPDIR to another folder, or enlarge /dev/shm (docker run --shm-size)"
"$guard" watch $$ "$run"
elsewhere='' # are there other machines, of --hosts or of a batch system's job?
[ -n "$hosts" ] || [ "${SLURM_JOB_NUM_NODES:-1}${PBS_JOBID-}${LSB_JOBID-}" = 1 ] || elsewhere=yes
for host in ${hosts//,/ }; do
    case ${host%:*} in localhost | 127.0.0.1 | "$(uname -n)") ;; *) elsewhere=yes ;; esac
done
if [ -z "$elsewhere" ]; then # the folder is only on this machine
    export OMPI_MCA_orte_tmpdir_base=$run PRTE_MCA_prte_tmpdir_base=$run # Open MPI 4, 5
    export OMPI_MCA_btl_vader_backing_directory=$run
else
    # Networks that have the same addresses on every machine, and lead nowhere: with them it hangs.
    inside=127.0.0.0/8,sppp,docker0,podman0,cni0,virbr0,lxcbr0
    [ -n "${OMPI_MCA_btl_tcp_if_include-}" ] ||
        export OMPI_MCA_btl_tcp_if_exclude=${OMPI_MCA_btl_tcp_if_exclude:-$inside}
    export PRTE_MCA_prte_local_tmpdir_base=$run # this machine's part of Open MPI 5's files
    # Each machine would wait a second or two before it ends what is left of a run, one after the
    # other.
    export OMPI_MCA_odls_base_sigkill_timeout=${OMPI_MCA_odls_base_sigkill_timeout:-0}
fi

options=(--np "$np" --bind-to none) # the backend pins its threads itself
if [ -n "$hosts" ]; then
    options+=(-H "$hosts")
    export OMPI_MCA_plm_rsh_agent=${OMPI_MCA_plm_rsh_agent:-ssh -q} # one message, ours
    export PRTE_MCA_plm_ssh_agent=$OMPI_MCA_plm_rsh_agent # what Open MPI 5 calls it
    # nothing else is passed to other hosts; NCCL_HOSTID belongs to one machine
    for name in OMP_NUM_THREADS OMP_WAIT_POLICY GOMP_SPINCOUNT LABS_COLUMNS LABS_AUDIT LABS_LINK \
        LABS_CLOCK LABS_COMM_SECONDS LABS_STOP_SECONDS LABS_OPTIONS DATA_DIR HEADLESS \
        OPENBLAS_CORETYPE "${!NCCL_@}"; do
        [ -z "${!name+set}" ] || [ "$name" = NCCL_HOSTID ] || options+=(-x "$name")
    done
elif [ -z "$elsewhere" ]; then # on this machine only: shared memory, no network, no ssh
    export OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader} OMPI_MCA_pml=${OMPI_MCA_pml:-ob1}
    export OMPI_MCA_plm=${OMPI_MCA_plm:-isolated}
    # A batch job of one task may start as many ranks as this machine has room for.
    export OMPI_MCA_ras=${OMPI_MCA_ras:-^slurm,gridengine,tm,loadleveler,lsf,alps}
    export PRTE_MCA_ras=${PRTE_MCA_ras:-^slurm,gridengine,pbs,tm,lsf}
    # mpirun looks up its own machine's name: a name server that does not answer may cost it one
    # second, not five.
    export RES_OPTIONS=${RES_OPTIONS:-timeout:1 attempts:1}
    if [ "$np" -gt "$cores" ]; then options+=(--oversubscribe)
    else options+=(--use-hwthread-cpus); fi
    # A container's system-call filter may forbid ranks to read each other's memory.
    if grep -qs '^Seccomp:[[:space:]]*2' /proc/self/status; then
        export OMPI_MCA_btl_vader_single_copy_mechanism=none
    fi
fi

signals=0 first_signal='' ended_by_us=''
# The guard ends a run that has not stopped LABS_STOP_SECONDS (3) after SIGTERM, SIGHUP or SIGQUIT.
# shellcheck disable=SC2317 # called by the traps
on_signal() { # name
    signals=$((signals + 1))
    if [ -z "$first_signal" ]; then
        first_signal=$1
        if [ "$1" != INT ]; then : >"$run/stopping"
        elif [ -t 2 ]; then echo "stopping after this step; Ctrl-C again ends at once" >&2
        fi
        "$guard" stop "$run" 2>/dev/null ||
            kill -USR1 "$mpirun" 2>/dev/null # which says that it passes it on
    elif [ "$first_signal" = INT ] && [ "$1" = INT ]; then
        ended_by_us=yes
        kill -TERM "$mpirun" 2>/dev/null
        [ -n "$hosts" ] || "$guard" end "$run" # mpirun would give the ranks seconds
    fi
}

# Ctrl-Z: the ranks are not in the terminal's process group. fg, or SIGCONT, continues here.
pauses=0
# shellcheck disable=SC2317
on_pause() {
    pauses=$((pauses + 1))
    : >"$run/paused"
    "$guard" pause "$run"
    kill -STOP $$
    rm -f "$run/paused"
    "$guard" resume "$run"
}

# mpirun's stderr has the ranks' lines and its own messages, between two rules of 74 hyphens,
# and lines that begin with [host:process] or [host][[job,…],rank]. Those go to the file words, the
# rest to stderr, but for libevent's warnings when mpirun closes its pipes. Open MPI 4 could keep
# them apart itself, Open MPI 5 cannot. $end: nothing follows, though a process that ssh left behind
# may hold the pipe.
end=$'\036' rule='-\{74\}$' words_to="w $run/words"
own='^\[[[:alnum:]._-]*\(:[0-9]\{1,\}\] \|\]\[\[[0-9]*,\)'
apart="s/\\x00//g
/$end\$/{
    s///
    /./w /dev/stderr
    q
}
/[^-]$rule/{
    h
    s/$rule//w /dev/stderr
    g
    s/.*[^-]\($rule\)/\1/
}
/^$rule/,/^$rule/{
    $words_to
    d
}
/$own/{
    $words_to
    d
}
/^mpirun: Forwarding signal /d
/^\[warn\] Epoll /d
w /dev/stderr"

# A separate process group (set -m) keeps the terminal's Ctrl-C from mpirun, from sed, and from cat,
# which reports what mpirun would not: output that could not be written.
set -m
# shellcheck disable=SC2016 # the shell that it is for expands it
lost='trap "" HUP INT QUIT TERM; cat 2>/dev/null || [ $? -gt 128 ] || : >"$0"'
exec 6> >(exec sh -c "$lost" "$run/lost"); cat=$!
# shellcheck disable=SC2016
part='trap "" HUP INT QUIT TERM; sed -n "$0" || cat >&2 || exec cat >/dev/null'
exec 7> >(exec sh -c "$part" "$apart" 6>&-); sed=$!
LABS_RUN=$run "$program" "${options[@]}" "$@" </dev/null >&6 2>&7 6>&- 7>&- &
mpirun=$!
exec 6>&-
set +m
echo "$mpirun $([ -n "$elsewhere" ] && echo 0 || echo "$np")" >"$run/mpirun"
for name in INT TERM HUP QUIT; do
    # shellcheck disable=SC2064 # the name as it is now
    trap "on_signal $name" $name
done
trap on_pause TSTP
status=0
while true; do
    before=$signals,$pauses
    wait "$mpirun" 2>/dev/null; ended=$?
    # 127 after an interrupted wait: its status was already taken
    [ $ended = 127 ] && [ $((signals + pauses)) -gt 0 ] || status=$ended
    [ "$before" != "$signals,$pauses" ] || break # a signal interrupts wait
done
printf %s\\n "$end" >&7
exec 7>&-
wait "$cat" "$sed" 2>/dev/null
said='' words='' why='' lost='' opening=''
[ ! -e "$run/said" ] || said=$(<"$run/said")
one_line() { # of a file, without the rules between Open MPI's messages
    sed 's/^--*$//' "$1" 2>/dev/null | tr -s '[:space:]' ' ' | tr -d '[:cntrl:]'
}
words=$(one_line "$run/words") notes=$(one_line "$run/notes")
[ ! -e "$run/why" ] || read -r status why <"$run/why"
[ ! -e "$run/lost" ] || lost=yes
! compgen -G "$run/opening.*" >/dev/null || opening=yes # ranks that were still in comm_open
"$guard" end "$run"

if [ "$signals" -gt 0 ]; then
    # The ranks' own status if they stopped by themselves; 130 or 143 if they were killed.
    if [ "$status" -gt 128 ] || [ -n "$ended_by_us" ]; then
        status=$((128 + $(kill -l "$first_signal")))
        [ -z "$why" ] || echo "error: $why (SIG$first_signal), and were ended" >&2
    fi
    exit "$status"
fi
[ -z "$said" ] || exit "$said"
[ "$status" != 0 ] || [ -z "$lost" ] ||
    fail "standard output: the output is truncated: is the disk full?"
[ "$status" != 0 ] || exit 0

which_host() { # of the others it cannot start on, and why
    local host words daemon=orted # Open MPI 5 calls it prted
    ! type -P prted >/dev/null || daemon=prted
    for host in ${hosts//,/ }; do
        host=${host%:*}
        [ "$host" != "$(uname -n)" ] || continue
        # shellcheck disable=SC2086 # words
        words=$(timeout 10 ${OMPI_MCA_plm_rsh_agent/ -q/} -o BatchMode=yes -o ConnectTimeout=5 \
            "$host" "command -v $daemon || ! echo '$daemon: not found'" 2>&1 </dev/null) && continue
        words=$(tail -n 1 <<<"${words:-no answer}")
        case $words in
            "$daemon":*) echo "$host has no Open MPI in the PATH of 'ssh $host env'" ;;
            *) echo "'ssh $host true' fails: ${words:0:200}" ;;
        esac
        return
    done
    echo "is the same Open MPI there, and does the firewall let it connect?"
}

# No rank has said why: then mpirun's words do.
rest='all ranks were ended; a run with checkpoints resumes with --resume'
killed() { # signal, who: sets why
    local name hint=''
    name=$(kill -l "$1")
    case $name in
        KILL) hint=', as the system does when memory runs out' ;;
        BUS) hint=', as when the shared memory, /dev/shm, is full' ;;
    esac
    why="$2 was killed by signal $1 (SIG$name$hint)"
}
if [ -n "$why" ]; then
    why+=": $rest"
elif [ -n "$opening" ] && [ -z "$words" ]; then
    why="a rank ended before comm_open, where the others wait for it" status=1
elif [[ $words =~ rank\ ([0-9]+)\ with\ PID\ [^:]*\ exited\ on\ signal\ ([0-9]+) ]]; then
    killed "${BASH_REMATCH[2]}" "a rank"
    why+=": it was rank ${BASH_REMATCH[1]}; $rest"
    status=$((128 + BASH_REMATCH[2]))
elif [[ $words =~ process\ rank\ ([0-9]+)\ .*exiting\ improperly ]]; then
    why="rank ${BASH_REMATCH[1]} ended without comm_close (in MPI: MPI_Finalize): every rank must"
    why+=" call it"
    [ -z "$opening" ] ||
        why="rank ${BASH_REMATCH[1]} ended before comm_open, where the others wait for it"
elif [[ $words = *'not enough slots'* ]]; then
    why="this job has room for fewer than $np ranks: start it with more tasks (Slurm: --ntasks=$np)"
    why+=", or fewer ranks (NP=)" status=2
elif [[ $words = *'was unable to reliably start'* ]] ||
    [[ -n $hosts && $words = *'lost communication with a remote daemon'* ]]; then
    why="$program does not reach all of --hosts $hosts (make's HOSTS, or your shell's):"
    why+=" $(which_host)" status=2
elif [[ $words =~ execute\ an\ executable:\ Executable:\ (.*)\ Node:\ ([^ ]*)\ while ]]; then
    why="${BASH_REMATCH[2]} cannot run ${BASH_REMATCH[1]}: --hosts needs this folder, with what is"
    why+=" built in it, on every machine: a shared file system, or copies" status=2
elif [[ $words =~ has\ unexpectedly\ disconnected|error\ occurred\ in\ Socket\ closed ]]; then
    # on several machines Open MPI 5's ranks see it before mpirun does
    why="a rank was killed, or its machine lost the network: $rest"
elif [[ $words =~ MPI_ABORT|process(es)?\ (returned|exited\ with)\ (a\ )?non-zero ]] ||
    { [ -z "$words" ] && [ "$status" != 1 ] && [ "$status" -le 128 ]; }; then
    who='a rank'
    [[ ! $words =~ Process\ name:\ [^\ ]*,([0-9]+)\]\ Exit\ code: ]] ||
        who="rank ${BASH_REMATCH[1]}"
    if [[ $status = [12] || $status = 77 || $words = *MPI_ABORT* ]]; then : # it has said why
    elif [ "$status" -gt 128 ] && kill -l "$status" >/dev/null 2>&1; then
        killed $((status - 128)) "$who"
        why+=": $rest"
    else why="$who ended with exit status $status: all ranks were ended"
    fi
elif [ -n "$words$notes" ]; then
    words+=$notes
    why="$program cannot start or continue: ${words:0:400}" status=2
elif [ "$status" -gt 128 ]; then
    killed $((status - 128)) "$program"
    why+=": $rest"
else
    why="$program was told to end by a signal: $rest" status=143
fi
[ -z "$why" ] || echo "error: $why" >&2
exit "$status"
