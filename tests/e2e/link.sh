#!/usr/bin/env bash
# The link and its two clocks (common/link.h) from outside: all-reduces by hand on 8 ranks (ALL=1:
# and on 16 and 32) take the α-β model's time; on the real clock never less than on the virtual one;
# plain MPI and comm.h compute the same on a link; the trainer trains the same network, later.
# seconds: 600
# sanitizers: no
set -u
table=$BUILD/tests/tools/link_table
train=$BUILD/sol/lab2_ddp/3_train
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1"; shift; for log in "$@"; do echo "--- $log"; tail -n 30 "$log"; done; exit 1; }
start() { common/setup/launch.sh --np "$@" >"$work/out" 2>"$work/err"; }

for ranks in 8 ${ALL:+16 32}; do
    start $ranks "$table" virtual 1Gbit/s,50us 65536 ||
        fail "$ranks ranks: exit $?" "$work/out" "$work/err"
    awk 'NF == 5 && $5 + 0 > 0 { n++; if ($5 < 0.999 || $5 > 1.001) { print; bad = 1 } }
        END { exit bad || n != 15 }' "$work/out" ||
        fail "$ranks ranks: not the model's time" "$work/out"
    cat "$work/out"
done

# A real clock also counts other programs on the machine.
for clock in virtual real; do
    start 2 "$table" $clock 100Mbit/s,5ms 65536 || fail "$clock: exit $?" "$work/out" "$work/err"
    mv "$work/out" "$work/$clock"
done
paste "$work/virtual" "$work/real" | awk 'NF == 10 && $1 == 65536 {
        n++; print $2 ": " $8 / $3 " of the virtual clock"
        if ($8 / $3 < 0.99) bad = 1
    }
    END { exit bad || n != 5 }' || fail "the real clock is not that of the link"

# What is computed, and the mistakes.
for clock in real virtual; do
    export LABS_CLOCK=$clock LABS_LINK=10Gbit/s,10us
    start 3 "$BUILD/student/lab2_ddp/1_ranks" || fail "1_ranks: exit $?" "$work/err"
    grep -qx 'ring: the token comes home with 3, expected 3' "$work/out" &&
        grep -qx 'all-reduce: 6 12 18, expected 6 12 18' "$work/out" ||
        fail "1_ranks on a link, $clock clock" "$work/out"
    start 3 "$BUILD/tests/test_comm" mpi_3 ||
        fail "test_comm on a link, $clock clock: exit $?" "$work/out" "$work/err"
done
unset LABS_CLOCK LABS_LINK
wrong() { # status, words, ranks, command…
    local status=$1 words=$2; shift 2
    start "$@"; [ $? = "$status" ] || fail "$words: expected exit $status" "$work/out" "$work/err"
    [ "$(wc -l <"$work/err")" = 1 ] && grep -q "$words" "$work/err" ||
        fail "expected one line with '$words'" "$work/err"
}
wrong 1 'link_set: 1 messages are still in flight' 2 "$table" under-way
LABS_LINK=1Gbit wrong 2 'LABS_LINK=1Gbit: expected none, or' 2 "$BUILD/student/lab2_ddp/1_ranks"
LABS_CLOCK=x wrong 2 'LABS_CLOCK=x: expected real or virtual' 1 "$train" --out "$work/wrong"
wrong 2 '\-\-link 1Gbit: expected none, or' 2 "$train" --out "$work/wrong" --link 1Gbit
wrong 2 '\-\-threads=2: the virtual clock' 2 "$train" --out "$work/wrong" --clock virtual \
    --threads 2
# What the link does not know ends the run, and is right without one.
mistakes=$BUILD/tests/tools/mpi_mistakes
calls='puts_data:MPI_Win_create persists:MPI_Recv_init'
[ -z "${ALL-}" ] || calls+=' asks_neighbors:MPI_Neighbor_alltoall between:MPI_Intercomm_create
    writes_a_file:MPI_File_open'
for what in $calls; do
    LABS_LINK=1Gbit/s wrong 2 "${what#*:}: a link and the virtual clock support only" 2 \
        "$mistakes" "${what%:*}"
    start 2 "$mistakes" "${what%:*}" && [ ! -s "$work/err" ] ||
        fail "${what%:*} without a link" "$work/err"
done

for what in MPI_Irecv ${ALL:+MPI_Recv MPI_Probe MPI_Sendrecv}; do
    LABS_CLOCK=virtual wrong 2 "$what from MPI_ANY_SOURCE: the virtual clock" 2 "$mistakes" $what
    LABS_LINK=1Gbit/s,50us start 2 "$mistakes" $what && [ ! -s "$work/err" ] ||
        fail "$what from any source on the real clock" "$work/err"
done

# shellcheck disable=SC2016 # the ranks' shells expand it
wrong 2 'the ranks do not have the same link and clock' 2 bash -c \
    '[ "$OMPI_COMM_WORLD_RANK" = 0 ] || export LABS_LINK=1Gbit/s; exec "$0"' \
    "$BUILD/student/lab2_ddp/1_ranks"

# The trainer: the same network, at another time.
train() { # name, options…
    local name=$1; shift
    common/setup/launch.sh --np 2 "$train" --out "$work/$name" --data synthetic --model mlp \
        --batch 32 --images 320 --test-images 100 --epochs 1 --threads 1 "$@" \
        >"$work/$name.log" 2>&1 ||
        fail "the trainer, $*: exit $?" "$work/$name.log"
    cmp "$work/$name/lab2_train/checkpoint.safetensors" \
        "$work/plain/lab2_train/checkpoint.safetensors" || fail "$*: another network"
}
seconds() { sed -n 's/^training alone: .* in \(.*\) s, .*/\1/p' "$work/$1.log"; }
train plain
train slow --link 100Mbit/s,1ms --clock virtual
train fast --clock virtual
grep -q '^link between the ranks: 100 Mbit/s, 1 ms; virtual clock$' "$work/slow.log" ||
    fail "it does not say which link" "$work/slow.log"
grep -q '"link": "100Mbit/s,1ms"' "$work/slow/lab2_train/config.json" ||
    fail "config.json does not have the link" "$work/slow/lab2_train/config.json"
# 5 updates of 3,280,000 bytes: at least 260 ms each.
awk -v slow="$(seconds slow)" -v fast="$(seconds fast)" 'BEGIN {
    print "on the virtual clock: " slow " s; without a link " fast " s"
    exit !(slow >= 1.3 && fast < slow)
}' || fail "the trainer's times" "$work/slow.log" "$work/fast.log"
