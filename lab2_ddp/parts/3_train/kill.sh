#!/usr/bin/env bash
# kill.sh SIGNAL RANKS PROGRAM OPTIONS…: a fault, on purpose (make lab2 KILL=1): trains on RANKS
# ranks; after the first checkpoint a random rank gets SIGNAL (KILL or STOP) after a random update.
# Prints when the run ends and how much work is lost, then resumes from the last checkpoint on one
# rank less. --seed also draws rank and update; without it the seed is random, and printed.
#
# The ranks' audit (common/audit.h) records their updates. Status: 0 the training was completed; 1
# it was not, or the run ended too late; 77 the program is not converted yet.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../../.." || exit 2
signal=$1 ranks=$2 program=$3; shift 3
launch=common/setup/launch.sh
fail() { echo "error: $*" >&2; exit 2; }
[ "$ranks" -ge 2 ] 2>/dev/null || fail "NP=$ranks: a run that loses a rank needs 2 or more"
[ -r /proc/self/environ ] || fail "KILL needs /proc, to find a rank's process"
say() { printf '== %s\n' "$*"; }

# Defaults: a run of half a minute.
options=("$@") value=''
option() { # name, default: its value, into $value
    local i found=''
    value=$2
    for ((i = 0; i < ${#options[@]}; i++)); do # the last one counts
        case ${options[i]} in
            "--$1") found=yes value=${options[i + 1]-} ;;
            "--$1="*) found=yes value=${options[i]#*=} ;;
        esac
    done
    [ -n "$found" ] || options+=("--$1" "$value")
}
option images 12000
option epochs 2
option batch 32
option out build/out/fault; checkpoint=$value/lab2_train/checkpoint.safetensors
option checkpoint-every 20; every=$value
[[ $every =~ ^[1-9][0-9]{0,5}$ ]] || fail "--checkpoint-every $every: expected 1 to 999999 updates"
option seed $RANDOM; seed=$value
[[ $seed =~ ^[0-9]{1,15}$ ]] || fail "--seed $seed: expected 0 to 999999999999999"

RANDOM=$seed
victim=$((RANDOM % ranks))
update=$((every + 1 + RANDOM % (3 * every)))
audit=$(mktemp -d) || exit 2
run=''
end() { # of the run, in good order
    [ -z "$run" ] || { kill -TERM "$run" && wait "$run"; } 2>/dev/null
    rm -rf "$audit"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

pid_of() { # rank
    local file
    for file in $(grep -lsz "^LABS_AUDIT=$audit\$" /proc/[0-9]*/environ); do
        ! grep -qsz "^OMPI_COMM_WORLD_RANK=$1\$" "$file" || cut -d / -f 3 <<<"$file"
    done
}
updates() { # rank: how many it has made
    grep -s '"fact": *"update"' "$audit/rank-$1.jsonl" | tail -n 1 |
        sed -n 's/.*"step": *\([0-9]*\).*/\1/p' | awk '{ n = $1 + 1 } END { print n + 0 }'
}
# The unfinished steps, which each process reports before its first update.
to_do() {
    sed -n 's/.*"fact": *"to_do".*"step": *\([0-9]*\).*/\1/p' "$audit/rank-$victim.jsonl" | xargs
}
not_converted() { [ "$(updates "$victim")" -gt 0 ] && [ -n "$(to_do)" ]; }

ended_by_itself() {
    wait "$run"; status=$?
    run=''
    say "the run ended by itself (status $status) before the fault after update $update"
    exit $((status > 0 ? status : 1))
}

say "$ranks ranks; rank $victim will get SIG$signal after update $update" \
    "(a checkpoint every $every; SEED=$seed repeats it)"
export LABS_COMM_SECONDS=${LABS_COMM_SECONDS:-10} # when a rank that waits gives up
rm -f "$checkpoint"
LABS_AUDIT=$audit env --default-signal=INT "$launch" --np "$ranks" "$program" "${options[@]}" &
run=$!

# Wait for the update, and for the checkpoint before it.
while not_converted || [ "$(updates "$victim")" -lt "$update" ] || [ ! -e "$checkpoint" ]; do
    if not_converted; then
        say "still to do in lab2_ddp/3_train.c: steps $(to_do): each of the $ranks processes" \
            "trains alone; come back when they train together (or give SOL=1)"
        exit 77
    fi
    kill -0 "$run" 2>/dev/null || ended_by_itself
    sleep 0.02
done
pid=$(pid_of "$victim")
[ -n "$pid" ] && kill "-$signal" "$pid" 2>/dev/null || ended_by_itself
began=$(date +%s%N)
say "rank $victim, process $pid, got SIG$signal after its update $(updates "$victim")"

# mpirun notices SIGKILL; only the other ranks' watch notices a stopped rank.
limit=$((LABS_COMM_SECONDS + 20))
while kill -0 "$run" 2>/dev/null; do
    if [ $((($(date +%s%N) - began) / 1000000000)) -ge $limit ]; then
        say "no rank noticed within $limit s: ended from outside"
        exit 1
    fi
    sleep 0.1
done
wait "$run"; status=$?
run=''
took=$((($(date +%s%N) - began) / 100000000))
left=0
for ((rank = 0; rank < ranks; rank++)); do [ -z "$(pid_of $rank)" ] || ((left += 1)); done
say "the run ended $((took / 10)).$((took % 10)) s later, with status $status; ranks left: $left"

made=0
for ((rank = 0; rank < ranks; rank++)); do
    ((made = $(updates $rank) > made ? $(updates $rank) : made))
done
saved=$(grep -aom 1 '"step":"[0-9]*"' "$checkpoint" | tr -dc 0-9)
say "made: $made updates; the last checkpoint: after update $saved; lost: $((made - saved))"
rest=$((ranks - 1)) args="${options[*]} --resume $checkpoint"
sol=''; case $program in */sol/*) sol='SOL=1 ' ;; esac
say "to continue on $rest rank$([ $rest = 1 ] || echo s):"
echo "make lab2 ${sol}ONLY=3_train NP=$rest ARGS=\"$args\""
"$launch" --np "$rest" "$program" "${options[@]}" --resume "$checkpoint"
