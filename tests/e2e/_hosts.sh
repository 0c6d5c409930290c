# shellcheck shell=bash
# _hosts.sh: two emulated hosts on this machine, labs-a and labs-b (bash functions; $work is a
# folder). Each has its own name, network, processes and shared memory; a cable lies between them.
# Files are common, as on a cluster.
#
#     hosts_up || exit 77      says why not, where it is not allowed (root, and the command ip)
#     on_a COMMAND…            on labs-a; on_b: on labs-b
#     hosts_running            the names of their processes
#     hosts_down               ends all that runs on either
#
# $work/ssh stands for ssh (OMPI_MCA_plm_rsh_agent): like it, it hands over no variables.
# shellcheck disable=SC2016,SC2154 # $ in quotes is for other shells; work is the script's

hosts_up() {
    [ "$(id -u)" = 0 ] || { echo "skipped: emulated hosts need root"; return 1; }
    type -P ip >/dev/null && type -P nsenter >/dev/null ||
        { echo "skipped: no ip or nsenter (Debian: iproute2, util-linux)"; return 1; }
    printf '127.0.0.1 localhost\n10.77.0.1 labs-a\n10.77.0.2 labs-b\n' >"$work/hosts"
    # A host is a process that sleeps; labs-b is one of labs-a's, which can so enter it.
    cat >"$work/host" <<'EOF'
name=$1 work=$2
hostname "$name" && mount --bind "$work/hosts" /etc/hosts && mount -t tmpfs tmpfs /dev/shm &&
    ip link set lo up && : >"$work/up.$name" && exec sleep 1000000
EOF
    unshare --net --uts --mount --pid --fork --kill-child --mount-proc \
        sh "$work/host" labs-a "$work" >"$work/log" 2>&1 &
    host_holder=$!
    disown
    host_is_up labs-a || { echo "skipped: no namespaces here: $(cat "$work/log")"; return 1; }
    host_a=$(<"/proc/$host_holder/task/$host_holder/children") host_a=${host_a%% *}
    on_a unshare --net --uts --mount --pid --fork --kill-child --mount-proc \
        sh "$work/host" labs-b "$work" >>"$work/log" 2>&1 &
    disown
    host_is_up labs-b && host_b=$(on_a sh -c 'grep -lsxz 1000000 /proc/[0-9]*/cmdline' |
        sed -n 's,^/proc/\([0-9]*\)/.*,\1,p' | grep -vx 1) &&
        on_a sh -c 'ip link add labs0 mtu 9000 type veth peer name labs0 mtu 9000 netns "$1" &&
            ip addr add 10.77.0.1/24 dev labs0 && ip link set labs0 up' sh "$host_b" &&
        on_b sh -c 'ip addr add 10.77.0.2/24 dev labs0 && ip link set labs0 up' ||
        { echo "skipped: no network between namespaces here: $(cat "$work/log")"; return 1; }
    cat >"$work/ssh" <<EOF
#!/bin/sh
# ssh [options] HOST COMMAND
while :; do case \$1 in -o) shift 2 ;; -*) shift ;; *) break ;; esac; done
host=\$1; shift
[ "\$host" = labs-b ] || { echo "ssh: Could not resolve hostname \$host" >&2; exit 255; }
exec nsenter -t $host_b -n -u -m -p env -i HOME=/root PATH="$PATH" TMPDIR="$work/tmp.b" \\
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" sh -c "cd; \$*"
EOF
    chmod +x "$work/ssh"
    export OMPI_MCA_plm_rsh_agent=$work/ssh
}
host_is_up() { # name: within a minute, unless it ended
    local end=$((SECONDS + 60))
    until [ -e "$work/up.$1" ]; do
        [ $SECONDS -lt $end ] && kill -0 $! 2>/dev/null || return 1
        sleep 0.1
    done
}
hosts_down() { [ -z "${host_holder-}" ] || kill -KILL "$host_holder"; }

# The names of all processes on both; one that has ended (Z) may still be waited for.
hosts_running() {
    on_a sh -c 'grep -LE "^State:.*Z" /proc/[0-9]*/status | xargs sed -n "s/^Name:.//p"' 2>/dev/null
}

on_a() { nsenter -t "$host_a" -n -u -m -p sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"; }
on_b() { on_a nsenter -t "$host_b" -n -u -m -p sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"; }
