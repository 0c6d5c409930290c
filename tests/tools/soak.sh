#!/usr/bin/env bash
# soak.sh BUILD [RUNS [SEED]]: many trainings, each killed at a random moment: a random one of make,
# its shell, launch.sh, mpirun, a rank, the terminal or all of them, by a random signal, or while
# another one is stopped; or a rank is only stopped, and the watch must see it (after
# LABS_COMM_SECONDS, here 3). Afterwards everything must have ended, the last checkpoint must be
# whole, nothing may stay behind; every third training resumes and must make all its updates.
#
# Each run prints its seed; 'soak.sh BUILD 1 SEED' repeats it. The last lines are the counts. Status
# 0: nothing was lost or left.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
BUILD=$1 runs=${2:-200} first=${3:-1}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
. tests/e2e/_processes.sh
updates=400

pick() { # words…: one of them, in $picked (a subshell would have different random numbers)
    shift $((RANDOM % $#))
    picked=$1
}

# The training in $dir on, to its end: it makes all its updates, and one more if it was at its end.
resumes() {
    local saved=$dir/lab2_train/checkpoint.safetensors from=()
    [ ! -e "$saved" ] || from=(--resume "$saved")
    # shellcheck disable=SC2086 # words
    timeout 300 "$train" ${small/every 10/every 1000} --epochs 100000 --steps $updates \
        "${from[@]}" --out "$dir/on" >"$dir/on.log" 2>&1 &&
        grep -qE "after update ($updates|$((updates + 1)));" "$dir/on.log" ||
        echo "resuming: $(tail -n 2 "$dir/on.log" | paste -sd " ")"
}

run() { # seed: prints a line; counts in the files of $work
    local ranks victim signal stopped=none via=make why dir=$work/run i
    RANDOM=$1
    pick 1 2 2 3; ranks=$picked
    pick TERM HUP INT KILL STOP watch; signal=$picked
    [ "$signal-$ranks" != watch-1 ] || signal=TERM # it takes two to wait
    if [ "$ranks" = 1 ]; then pick make shell rank all terminal
    else pick make shell launch mpirun rank all terminal; fi
    victim=$picked
    [ "$victim" != terminal ] || signal=KILL # it hangs up
    [ "$victim" != terminal ] || via=terminal
    [ "$victim-$signal" != shell-INT ] || signal=QUIT # sh -c waits for its child first
    export LABS_COMM_SECONDS=600
    [ "$signal" != watch ] || { export LABS_COMM_SECONDS=3; victim=rank via=make; }
    if [ "$signal" = STOP ]; then
        pick first mpirun; stopped=$picked
        pick TERM KILL; signal=$picked
        [ "$ranks" -gt 1 ] || stopped=first
        case $ranks-$stopped-$victim in # what is stopped itself takes only this one
            1-first-rank | *-mpirun-mpirun | *-all) signal=KILL ;;
        esac
    fi
    rm -rf "$dir"
    training_start "$dir" "$ranks" $via --epochs 100000 --steps $updates
    # Else also before the first checkpoint; but the watch begins with the communication library.
    if ((RANDOM % 4)) || [ "$signal" = watch ]; then training_runs "$dir"; fi
    sleep "0.$((RANDOM % 10))"
    for ((i = 0; i < 300; i++)); do # as soon as there is one
        training_folder "$dir"
        [ "$stopped" = none ] || { training_kill "$dir" "$stopped" STOP && sleep 0.2; }
        ! training_kill "$dir" "$victim" "${signal/watch/STOP}" || break
        [ -n "$(alive "$dir")" ] || { victim=nobody signal='(had ended)'; break; }
        sleep 0.1
    done
    why=$(training_ended "$dir")
    [ "$signal" != watch ] || grep -q "error: .*is stopped" "$dir/err" ||
        why="${why}no word of the watch"
    [ $(($1 % 3)) != 0 ] || why=$why$(resumes)
    echo "$victim $signal$([ "$stopped" = none ] || echo "+STOP")" >>"$work/killed"
    [ -z "$why" ] || echo "$why" >>"$work/why"
    signal=${signal/watch/STOP alone}
    echo "seed $1: $ranks ranks, $victim gets SIG$signal, stopped before: $stopped: ${why:-ok}"
    [ -z "$why" ] || { touch "$work/failed"; head -n 20 "$dir/out" "$dir/err"; }
}

count() { grep -c "$1" "$work/why" 2>/dev/null || true; }
: >"$work/killed"
: >"$work/why"
for ((seed = first; seed < first + runs; seed++)); do run $seed; done
printf '\n%6s  %-10s %s\n' runs victim signal
sort "$work/killed" | uniq -c | awk '{ printf "%6d  %-10s %s\n", $1, $2, $3 }'
printf '%6d  %s\n' "$(wc -l <"$work/killed")" "runs in all" \
    "$(count '^a minute later')" "processes left a minute later" \
    "$(count '^the checkpoint')" "checkpoints unreadable" \
    "$(count 'resuming:')" "lost on resuming" \
    "$(count 'no word of the watch')" "stopped ranks unnoticed" \
    "$(count '^temporary file\|^in TMPDIR')" "temporary files" \
    "$(count "^the run's folder")" "folders of shared memory"
[ ! -e "$work/failed" ]
