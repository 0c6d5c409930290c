#!/usr/bin/env bash
# seconds: 900
# waits: yes
# sanitizers: no
# Make, its shell, launch.sh, mpirun, a rank or the terminal dies, by one signal or another, also
# while a rank or mpirun is stopped: all is ended, the last checkpoint is whole, nothing
# stays behind. And nohup still works.
set -u
. tests/e2e/_work.sh
. tests/e2e/_processes.sh

stopped() { grep -qs '^State:[[:space:]]*[TZ]' "/proc/$1/status"; }
one() { # ranks victim signal stopped
    local dir=$work/$1-$2-$3-$4 via=make why=''
    [ "$2" != terminal ] || via=terminal
    training_start "$dir" "$1" $via --epochs 100000
    if ! training_runs "$dir"; then
        why="it does not start: $(tail -n 3 "$dir/out" "$dir/err")"
        training_kill "$dir" all KILL
    else
        training_folder "$dir"
        if [ "$4" != none ]; then
            training_kill "$dir" "$4" STOP || why="no $4 to stop"
            within 60 stopped "$(victims "$dir" "$4" | head -n 1)"
        fi
        training_kill "$dir" "$2" "$3" || why="no $2 to kill"
    fi
    why=$why$(training_ended "$dir" | paste -sd ';')
    case $2-$3-$4 in # these let the ranks stop in good order
        make-[THI]*-none | shell-*-none | launch-*-none | terminal-* | rank-[THI]*-none)
            grep -q 'stopped after update' "$dir/out" ||
                [ "$2" = terminal ] || why="$why; not stopped in good order" ;;
    esac
    # a killed rank of several: one line says so; make may add its own, or have waited for another
    if [ "$1-$2-$4" = 2-rank-none ] && [ "$3" = KILL ]; then
        [ "$(grep -vcE '^(make:|another make )' "$dir/err")" = 1 ] &&
            grep -q 'rank was killed by signal' "$dir/err" ||
            why="$why; its messages: $(cat "$dir/err")"
    fi
    if [ -z "$why" ]; then echo "ok    $1 ranks: $2 gets SIG$3, stopped before: $4"
    else echo "FAIL  $1 ranks: $2 gets SIG$3, stopped before: $4: $why"; fi
    rm -rf "$dir"
}
export -f one stopped alive called parent_of victims within nobody_of
export -f training_start training_runs training_kill training_ended training_folder
export work train small BUILD

# Some deaths; ALL=1: each victim, by the kinds of signals; make soak: random ones.
few() {
    printf '%s\n' '2 make INT none' '2 make KILL none' '2 launch KILL none' '2 mpirun KILL none' \
        '2 rank KILL none' '1 make TERM none' '2 terminal KILL none' '2 launch TERM first' \
        '2 launch KILL mpirun'
}
every() {
    local case
    for case in make:HUP make:INT make:KILL shell:TERM shell:KILL launch:QUIT launch:KILL \
        mpirun:TERM mpirun:KILL rank:TERM rank:SEGV rank:KILL terminal:KILL all:HUP; do
        echo "2 ${case%:*} ${case#*:} none"
    done
    printf '%s\n' '1 make TERM none' '1 rank TERM none' '3 all KILL none' '2 launch TERM first' \
        '3 rank KILL first' '2 launch KILL mpirun' '3 rank TERM mpirun'
}
cases() { if [ -n "${ALL-}" ]; then every; else few; fi; }
cases >"$work/cases"
<"$work/cases" xargs -L 1 bash -uc 'one "$@"' _ >"$work/results"
sort "$work/results"
failed=$(grep -c '^FAIL' "$work/results")
ran=$(wc -l <"$work/results")
echo "$ran cases, $failed failed"
[ "$failed" = 0 ] && [ "$ran" = "$(wc -l <"$work/cases")" ]
