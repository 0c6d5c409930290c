#!/usr/bin/env bash
# hosts_link.sh BUILD [RATE…]: is the link of link.h as fast as a cable? Milliseconds of a message
# and of an all-reduce between two ranks: first on two emulated hosts, whose cable the kernel holds
# to RATE Mbit/s (100, 400, 1000; tc's token bucket), then on this machine with LABS_LINK=RATE and
# the real clock. The ratio should be within 10 %. Wants a machine that is not busy. Needs root.
set -u
export LC_ALL=C
BUILD=$1; shift
[ $# -gt 0 ] || set -- 100 400 1000
work=$(mktemp -d)
trap 'hosts_down; rm -rf "$work"' EXIT
. tests/e2e/_hosts.sh
type -P tc >/dev/null || { echo "skipped: no tc (Debian: iproute2)"; exit 77; }
hosts_up || exit 77
mkdir "$work/tmp.b"
times=$BUILD/tests/tools/link_times

# Over TCP Open MPI 4.1 takes twice the time that two ranks need for a large vector: it lets halves
# wait for each other. The link charges a good algorithm, here recursive doubling.
export OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=3

printf '%9s  %8s  %-10s  %10s  %10s  %6s\n' 'Mbit/s' bytes what 'cable, ms' 'link, ms' ratio
for rate; do
    for host in on_a on_b; do
        # The bucket holds a millisecond's bytes: little of a message passes at once. So packets
        # must be small, too.
        $host ip link set labs0 gso_max_size 9000 gso_max_segs 1
        $host tc qdisc replace dev labs0 root tbf rate "${rate}mbit" \
            burst $((rate / 8 + 8))kb latency 400ms ||
            { echo "skipped: no token bucket (sch_tbf) here"; exit 77; }
    done
    on_a common/setup/launch.sh --hosts labs-a:1,labs-b:1 "$times" >"$work/cable" &&
        LABS_LINK=${rate}Mbit/s,50us LABS_CLOCK=real common/setup/launch.sh --np 2 "$times" \
            >"$work/link" || exit 1
    paste -d ' ' "$work/cable" "$work/link" | awk -v rate="$rate" '
        function line(what, cable, link) {
            printf "%9d  %8d  %-10s  %10.2f  %10.2f  %6.3f\n", rate, $1, what, cable, link,
                link / cable
        }
        { line("message", $2, $5); line("all-reduce", $3, $6) }'
done
