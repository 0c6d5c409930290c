#!/usr/bin/env bash
# guard.sh watch PID [RUN]: run a guard, in a separate session, so that nothing outlives process
# PID: launch.sh, the program it became, or a script that runs several programs. Returns at once.
# guard.sh stop RUN: pass a stop on to the ranks of this machine, as SIGUSR1; fails if it cannot.
# guard.sh pause RUN, guard.sh resume RUN: stop this machine's part of a run as Ctrl-Z does;
# continue.
# guard.sh end RUN: kill (SIGKILL) all that is left of a run, and remove its folder.
#
# PID itself ends (SIGTERM; SIGKILL LABS_STOP_SECONDS later) when one of its ancestors up to process
# LABS_PARENT does: make, or the script that sets this variable. Without the variable nothing is
# watched: nohup, tmux and batch systems work as usual. (In a sandbox with its own process numbers,
# unset it.)
#
# RUN is the folder that launch.sh makes for a run of several ranks: Open MPI's files are in it, and
#     mpirun     its process id, and how many ranks it has on this machine (0: not known)
#     stopping   launch.sh has passed a stop on to the ranks, or a rank was told to stop
#     paused     launch.sh has stopped the ranks, and itself
#     said       a rank has reported why the run ends (common/check.h); in it, the exit status
#     words      mpirun's output; notes: Open MPI's output in the ranks
#     opening.R  rank R is in comm_open
#     why        why the guard ended the run: the exit status, and a message
# All processes of a run have LABS_RUN=RUN in their environment (those of the tests LABS_TESTS=RUN),
# even after their parent has ended. Without /proc the guard does nothing: only mpirun ends its
# ranks.
set -u
export LC_ALL=C
[ -z "${LABS_RUN-}${LABS_TESTS-}" ] || # it does not belong to a run itself
    exec env -u LABS_RUN -u LABS_TESTS "$0" "$@"
job=$1

# Sets state and parent from "PID (any name) state parent …"; state Z: it has ended; ?: not known.
look_at() { # pid
    local line
    state='?' parent=0
    { read -r line <"/proc/$1/stat"; } 2>/dev/null || return
    line=${line##*) }
    state=${line%% *} line=${line#* }
    parent=${line%% *}
}
members() {
    grep -lszFx -e "LABS_RUN=$run" -e "LABS_TESTS=$run" /proc/[0-9]*/environ | cut -d / -f 3
}
signal_members() { # name, not to this process; fails if nobody is left
    local pids
    mapfile -t pids < <(members | grep -vx "${2:-none}")
    [ ${#pids[@]} -gt 0 ] && kill "-$1" "${pids[@]}" 2>/dev/null
}
end_members() { for _ in {1..50}; do signal_members KILL || break; sleep 0.05; done; }
end_run() {
    end_members
    rm -rf "$run"
}
stop_ranks() { # fails if mpirun has to do it: some are on other machines, behind an ssh to spare
    local mpirun ranks
    { read -r mpirun ranks <"$run/mpirun"; } 2>/dev/null || return
    wake_members
    [ "$ranks" -gt 0 ] && signal_members USR1 "$mpirun"
}
wake_members() { # mpirun would say so
    local mpirun=none ranks
    { read -r mpirun ranks <"$run/mpirun"; } 2>/dev/null # not there yet, perhaps
    look_at "$mpirun"
    [ "$state" != T ] || kill -CONT "$mpirun"
    signal_members CONT "$mpirun"
}
case $job in
    stop) run=$2; stop_ranks; exit ;;
    pause) run=$2; signal_members STOP; exit ;;
    resume) run=$2; wake_members; exit ;;
    end) run=$2; end_run; exit ;;
esac

pid=$2 run=${3-}
[ -r /proc/self/stat ] || exit 0
[ "${LABS_PARENT-}" != "$pid" ] || unset LABS_PARENT # it is the first one itself
[ -n "$run" ] || [ -n "${LABS_PARENT-}" ] || exit 0
if [ "$job" = watch ]; then # not a child of PID, and out of the terminal's reach
    type -P setsid >/dev/null || exit 0
    exec setsid --fork "$0" watching "$pid" "$run" </dev/null >/dev/null 2>&1
fi
trap '' HUP INT QUIT TERM
cd / || exit
limit=${LABS_STOP_SECONDS:-3}
[[ $limit =~ ^[1-9][0-9]{0,5}$ ]] || limit=3

gone() { [ ! -d "/proc/$1" ] || { look_at "$1"; [ "$state" = Z ]; }; }

# The ancestors up to LABS_PARENT, nearest first.
ancestors=() whole=yes
if [ -n "${LABS_PARENT-}" ]; then
    look_at "$pid"
    while [ "$parent" -gt 1 ] && [ "${ancestors[-1]-}" != "$LABS_PARENT" ]; do
        ancestors+=("$parent")
        look_at "$parent"
    done
    [ "${ancestors[-1]-}" = "$LABS_PARENT" ] || whole='' # one has gone already
fi

# Which of SIGHUP, SIGINT, SIGQUIT and SIGTERM make has handlers for. When one of them arrives, make
# sets its default action, then waits for its recipes: that is all there is to see.
make=''
{ read -r name <"/proc/${LABS_PARENT:-0}/comm"; } 2>/dev/null || name=''
case $name in make | gmake) make=$LABS_PARENT ;; esac
handlers=''
look_at_handlers() { # fails if nothing can be seen
    local lines line
    mapfile -t lines <"/proc/$make/status" || return # at once: its lines change while it is read
    for line in "${lines[@]}"; do
        case $line in SigCgt:*) handlers=$((16#${line: -4} & 16#4007)); return ;; esac
    done
    false
} 2>/dev/null
[ -z "$make" ] || look_at_handlers || make=''
at_first=$handlers

parents_end() {
    [ -n "$whole" ] || return 0
    for ancestor in "${ancestors[@]}"; do ! gone "$ancestor" || return 0; done
    [ -n "$make" ] && look_at_handlers && [ "$handlers" != "$at_first" ]
}

# Two things that only a third process can notice: mpirun is stopped, and ranks that end wait for
# it; a rank has ended before comm_open, where the others wait for it.
mpirun='' ranks=0 missing=0 started=0
look_at_ranks() {
    local children=() task
    [ -n "$mpirun" ] || { read -r mpirun ranks <"$run/mpirun"; } 2>/dev/null || return
    for task in "/proc/$mpirun"/task/*/children; do # from 32 ranks on its threads start them
        local more=()
        { read -r -a more <"$task"; } 2>/dev/null # has no newline
        children+=("${more[@]}")
    done
    look_at "$mpirun"
    if [ "$state" = T ] && [ -e "$run/paused" ]; then :
    elif [ "$state" = T ]; then
        kill -CONT "$mpirun"
    elif [ ${#children[@]} -gt "$started" ]; then # mpirun starts one after the other
        started=${#children[@]} missing=0
    elif [ ${#children[@]} -lt "$ranks" ] && compgen -G "$run/opening.*" >/dev/null; then
        # One that would start a rank and gets no processor is no sign of one that ended.
        for task in "/proc/$mpirun"/task/*; do
            look_at "$mpirun/task/${task##*/}"
            [ "$state" = S ] || return
        done
        missing=$((missing + 1))
        [ $missing = 5 ] || return # one second: mpirun itself may be ending the run
        echo "1 a rank ended before comm_open, where the others wait for it" >"$run/why"
        end_within 0
    else missing=0
    fi
}

end_at=''
end_within() { end_at=$((SECONDS + $1)); }
exec {never}<> <(:) # nothing ever arrives here: to wait without a process
while ! gone "$pid"; do
    if [ -n "$end_at" ]; then
        if [ $SECONDS -ge "$end_at" ]; then
            [ ! -e "$run/stopping" ] || [ -e "$run/why" ] ||
                echo "143 the ranks had not stopped within LABS_STOP_SECONDS=$limit of a signal" \
                    >"$run/why"
            [ -z "$run" ] || end_members
            # It has a status to report: for launch.sh this takes as long as it gets no processor.
            patience=8
            [ -z "$run" ] || patience=100
            for ((i = 0; i < patience; i++)); do
                gone "$pid" || read -rt 0.1 -u "$never"
            done
            kill -KILL "$pid" 2>/dev/null
        fi
    elif parents_end; then
        ! gone "$pid" || break # then its parents ended because it did
        for process in "${ancestors[@]}" "$pid"; do
            [ "$process" = "${LABS_PARENT-}" ] || kill -TERM "$process"
        done 2>/dev/null
        kill -CONT "$pid" 2>/dev/null
        end_within "$limit"
    elif [ -n "$run" ]; then
        if [ -e "$run/stopping" ]; then wake_members; end_within "$limit"
        elif [ -e "$run/said" ]; then end_within 3
        else look_at_ranks
        fi
    fi
    read -rt 0.2 -u "$never"
done
# launch.sh has removed the folder, unless it was killed.
if [ -n "$run" ] && [ -d "$run" ]; then
    stop_ranks || kill -USR1 "${mpirun:-none}" 2>/dev/null
    end_within 2 # the grader gives a run that it has killed 3
    while wake_members && [ $SECONDS -lt "$end_at" ]; do read -rt 0.1 -u "$never"; done
    end_run
fi
