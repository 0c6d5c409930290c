#!/usr/bin/env bash
# all: yes
# seconds: 600
# sanitizers: no
# Two emulated hosts (_hosts.sh), two ranks on each: the same run as on one machine, bit for bit;
# errors that name the host; a rank that dies on one ends the run on both, with a message.
set -u
. tests/e2e/_work.sh
trap 'hosts_down; rm -rf "$work"' EXIT
. tests/e2e/_hosts.sh
. tests/e2e/_processes.sh
hosts_up || exit 77
launch=common/setup/launch.sh
# Sums are split over the threads: the same number on one host as on two, for any number of cores.
small="--data synthetic --model mlp --hidden 32 --images 640 --test-images 100 --batch 8 --seed 3
    --threads 1"
hosts=labs-a:2,labs-b:2
mkdir "$work/tmp.a" "$work/tmp.b"

run() { # hosts program options…
    local on=$1
    shift
    on_a env "TMPDIR=$work/tmp.a" timeout -k 5 120 $launch --hosts "$on" "$@" \
        >"$work/out" 2>"$work/err" </dev/null
}
rank_pid() { # rank: its process, as labs-a counts it, whose processes contain those of labs-b
    on_a sh -c 'grep -lsz "^OMPI_COMM_WORLD_RANK=$1" /proc/[0-9]*/environ' sh "$1" | cut -d / -f 3
}
left() { # of any run, on either host
    hosts_running
    on_a ls -A /dev/shm
    on_b ls -A /dev/shm
    find "$work/tmp.a" "$work/tmp.b" -mindepth 1
} 2>/dev/null # a process may be gone by now
nothing_left() {
    now=$(left | grep -vxE '|sleep|sh|grep|sed|xargs|nsenter|unshare')
    [ -z "$now" ]
}
gone() { within 60 nothing_left || wrong "$1: left behind: $now"; } # what ended it

# A network that both have and that leads nowhere, as Docker's: MPI must not take it.
for host in on_a on_b; do
    $host ip link add docker0 type veth peer name labs1 && $host ip link set labs1 up &&
        $host ip addr add 172.17.0.1/16 dev docker0 && $host ip link set docker0 up
done

run $hosts "$BUILD/student/lab2_ddp/1_ranks" || wrong "1_ranks: exit status $?"
[ "$(grep -c '^rank [0-3] of 4$' "$work/out")" = 4 ] &&
    grep -qx 'all-reduce: 10 20 30, expected 10 20 30' "$work/out" || wrong "1_ranks on two hosts"
gone "1_ranks"
OMPI_MCA_btl_tcp_if_include=labs0 run $hosts "$BUILD/student/lab2_ddp/1_ranks" &&
    [ ! -s "$work/err" ] || wrong "1_ranks over a network by name: exit status $?"
echo "1_ranks: 4 ranks on two hosts"

# shellcheck disable=SC2086 # words
{
run $hosts sh -c 'echo "$(uname -n) rank $OMPI_COMM_WORLD_RANK run ${LABS_RUN:-none}"'
[ "$(grep -cE 'labs-b rank [23] run none$' "$work/out")" = 2 ] ||
    wrong "labs-b knows the run's folder, which it does not have"
[ "$(grep -cE 'labs-a rank [01] run /' "$work/out")" = 2 ] || wrong "no folder of the run on labs-a"

run $hosts "$train" --out "$work/two" $small --epochs 1 || wrong "two hosts: exit status $?"
$launch --np 4 "$train" --out "$work/one" $small --epochs 1 >"$work/out" 2>"$work/err" ||
    wrong "one host: exit status $?"
cmp "$work/one/lab2_train/checkpoint.safetensors" "$work/two/lab2_train/checkpoint.safetensors" ||
    wrong "two hosts make another checkpoint than one"
gone "3_train"
echo "3_train: the same bytes on one host and on two"

refused() { # words hosts program
    local words=$1
    shift
    run "$@" && wrong "$words: it does not fail"
    [ "$(grep -c ^error: "$work/err")" = 1 ] && grep -q "^error: .*$words" "$work/err" ||
        wrong "expected an error: $words"
    grep ^error: "$work/err"
    gone "$words"
}
refused "--hosts labs-a:2,labs-c:2 .*: 'ssh labs-c true' fails: .*labs-c" labs-a:2,labs-c:2 "$train"
mkdir "$work/bin" && cp "$BUILD/student/lab2_ddp/1_ranks" "$work/bin/only_on_a"
on_b mount -t tmpfs tmpfs "$work/bin"
refused "labs-b cannot run $work/bin/only_on_a: --hosts needs" $hosts "$work/bin/only_on_a"

start() { # in the background, as $run; until the first checkpoint
    rm -rf "$work/kill"
    on_a env "TMPDIR=$work/tmp.a" $launch --hosts $hosts "$train" --out "$work/kill" $small \
        --epochs 100000 --checkpoint-every 10 >"$work/out" 2>"$work/err" </dev/null &
    run=$!
    training_runs "$work/kill" || wrong "no checkpoint"
}
}

for victim in 3 ${ALL:+0}; do # on labs-b, on labs-a
    start
    pid=$(rank_pid $victim)
    on_a kill -KILL "$pid"
    wait $run; status=$?
    [ $status = 137 ] || wrong "rank $victim killed: exit status $status, expected 137"
    [ "$(grep -c ^error: "$work/err")" = 1 ] &&
        grep -q "^error: a rank was killed by signal 9.* rank $victim;" "$work/err" ||
        wrong "rank $victim killed: expected one line that says so"
    gone "rank $victim killed"
    echo "rank $victim killed: $(grep ^error: "$work/err")"
done

launcher() {
    on_a sh -c 'grep -lsz "^common/setup/launch.sh$" /proc/[0-9]*/cmdline' | cut -d / -f 3 |
        head -n 1
}
start
on_a kill -TERM "$(launcher)"
wait $run; status=$?
[ $status = 0 ] && grep -q 'stopped after update' "$work/out" ||
    wrong "SIGTERM: status $status, expected a stop in good order"
gone SIGTERM
echo "SIGTERM: the ranks of both hosts stopped in good order"

start
on_a kill -KILL "$(launcher)"
wait $run 2>/dev/null
gone "launch.sh killed"
echo "launch.sh killed: nothing is left on either host"
exit $failed
