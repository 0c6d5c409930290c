# shellcheck shell=bash
# _processes.sh: for scripts that start a training, kill something and check what is left (bash
# functions; $work is a folder, $BUILD the build).
#
#     training_start DIR RANKS VIA OPTIONS…   VIA: make, or terminal (make in a pseudo-terminal)
#     training_kill DIR VICTIM SIGNAL         make, shell, launch, mpirun, rank, all, terminal
#     training_ended DIR                      why it did not end as it must, if so
#
#     within SECONDS COMMAND…                 until the command succeeds: a limit only ends hangs
#     with_variable NAME=VALUE                files of the processes that have it; status 1: none
#     ranks_said NUMBER OUT                   this many ranks of test_comm_faults run
#     rank_alive OUT                          is one of them still running?
#
# All processes of a training have TRAINING=DIR in their environment.
train=$BUILD/sol/lab2_ddp/3_train
small="--data synthetic --model mlp --hidden 256 --images 640 --test-images 100 --batch 8"
small+=" --checkpoint-every 10"

within() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do [ $SECONDS -lt $end ] || return 1; sleep 0.05; done
}
none() { ! "$@"; }
with_variable() { grep -lsxz "$1" /proc/[0-9]*/environ; } # NAME=value: processes that have it
rank_pids() { sed -n 's/^rank [0-9]* pid //p' "$1"; }
ranks_said() { [ "$(rank_pids "$2" | wc -l)" -ge "$1" ]; }
rank_alive() { # state Z: dead, its parent has not yet looked
    local pid
    for pid in $(rank_pids "$1"); do
        grep -qs '^State:[[:space:]]*[^Z[:space:]]' "/proc/$pid/status" && return 0
    done
    return 1
}

alive() { grep -lsz "^TRAINING=$1\$" /proc/[0-9]*/environ | cut -d / -f 3; }
called() { # dir name: those that run this program or script
    local pid argv
    for pid in $(alive "$1"); do
        mapfile -d '' -t argv 2>/dev/null <"/proc/$pid/cmdline"
        case ${argv[0]-}:${argv[1]-} in
            */"$2":* | "$2":* | *bash:*/"$2") echo "$pid" ;;
            */prterun:* | prterun:*) [ "$2" != mpirun ] || echo "$pid" ;; # Open MPI 5's
        esac
    done
}
parent_of() { sed -n 's/^PPid:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null; }

training_start() {
    local dir=$1 ranks=$2 via=$3 command
    shift 3
    mkdir -p "$dir/tmp"
    # -o: the program is there; make has nothing to build
    command=(make -o "$train" "BUILD=$BUILD" DEPS=no lab2 SOL=1 ONLY=3_train "NP=$ranks"
        "ARGS=$small --out $dir $*")
    [ "$via" = make ] || command=(script -qefc "$(printf '%q ' "${command[@]}")" /dev/null)
    TRAINING=$dir TMPDIR=$dir/tmp HEADLESS=1 setsid env --default-signal=INT,HUP,QUIT \
        -u LABS_PARENT "${command[@]}" >"$dir/out" 2>"$dir/err" </dev/null &
    disown # no "Killed" from this shell
}
training_runs() { within 120 test -e "$1/lab2_train/checkpoint.safetensors"; } # a checkpoint

victims() { # dir who
    case $2 in
        make | mpirun) called "$1" "$2" ;;
        terminal) called "$1" script ;;
        rank) called "$1" 3_train | tail -n 1 ;;
        first) called "$1" 3_train | head -n 1 ;;
        launch) called "$1" launch.sh ;;
        shell) parent_of "$(called "$1" parts.sh)" ;;
        all) alive "$1" | grep -vxF "$(called "$1" guard.sh || echo none)" ;;
    esac
}
training_kill() {
    local pids
    mapfile -t pids < <(victims "$1" "$2")
    [ ${#pids[@]} -gt 0 ] && kill "-$3" "${pids[@]}" 2>/dev/null
}

nobody_of() { [ -z "$(alive "$1")" ]; }
training_ended() {
    local dir=$1 left checkpoint=$1/lab2_train/checkpoint.safetensors
    within 60 nobody_of "$dir"
    for left in $(alive "$dir"); do
        echo "a minute later: $(tr '\0' ' ' <"/proc/$left/cmdline" | cut -c 1-100)"
        kill -KILL "$left"
    done 2>/dev/null
    [ ! -e "$dir/run" ] || [ ! -e "$(cat "$dir/run")" ] || echo "the run's folder is still there"
    find "$dir" -name '*.tmp' | sed 's/^/temporary file: /'
    # GMfifo: make's own from version 4.4 on, which cannot remove it when it is killed
    find "$dir/tmp" -mindepth 1 ! -name 'GMfifo*' | sed 's/^/in TMPDIR: /'
    # Whole: it can be opened, its training resumed.
    # shellcheck disable=SC2086 # words
    [ ! -e "$checkpoint" ] || "$train" $small --resume "$checkpoint" --epochs 100000 --steps 1 \
        --out "$dir/again" >"$dir/again.log" 2>&1 ||
        echo "the checkpoint: $(tail -n 1 "$dir/again.log")"
}
# The folder of a run of several ranks, into $dir/run.
training_folder() {
    local mpirun
    mpirun=$(called "$1" mpirun)
    [ -z "$mpirun" ] || tr '\0' '\n' <"/proc/$mpirun/environ" | sed -n 's/^LABS_RUN=//p' >"$1/run"
}
