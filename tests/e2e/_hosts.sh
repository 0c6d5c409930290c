# shellcheck shell=bash
# _hosts.sh: two emulated hosts on this machine, labs-a and labs-b (bash functions; $work is a
# folder). Each has a network of its own, with one cable between them, and its own name; labs-b has
# its own processes and shared memory, too. Files are common, as on a cluster.
#
#     hosts_up || skip         says why not where that is not allowed (root, and the command ip)
#     on_a COMMAND…            from labs-a; on_b likewise
#     hosts_down               by itself where the script ends
#
# $work/ssh stands for ssh (OMPI_MCA_plm_rsh_agent): it hands over no variables, either.
host_pid_a='' host_pid_b=''

holder() { # name, more options of unshare: the pid of a process that keeps a host's namespaces
    local name=$1 pid children=()
    shift
    # shellcheck disable=SC2016 # for that shell
    unshare --net --uts --mount --fork --kill-child "$@" \
        sh -c 'hostname "$1" && mount --bind "$2/hosts" /etc/hosts && : >"$2/up.$1" &&
            exec sleep 1000000' sh "$name" "$work" >"$work/$name.log" 2>&1 &
    pid=$!
    echo $pid >>"$work/holders"
    for _ in {1..50}; do [ ! -e "$work/up.$name" ] || break; sleep 0.1; done
    [ -e "$work/up.$name" ] || return 1
    read -r -a children <"/proc/$pid/task/$pid/children"
    holder=${children[0]}
}
hosts_down() {
    local pid
    while read -r pid; do kill -KILL "$pid"; done <"$work/holders" 2>/dev/null
    : >"$work/holders"
}

hosts_up() {
    [ "$(id -u)" = 0 ] || { echo "skipped: emulated hosts need root"; return 1; }
    type -P ip >/dev/null && type -P nsenter >/dev/null ||
        { echo "skipped: no ip or nsenter (Debian: iproute2, util-linux)"; return 1; }
    printf '127.0.0.1 localhost\n10.77.0.1 labs-a\n10.77.0.2 labs-b\n' >"$work/hosts"
    : >"$work/holders"
    holder labs-a && host_pid_a=$holder && holder labs-b --pid --mount-proc && host_pid_b=$holder &&
        ip link add labs0 mtu 9000 netns "$host_pid_a" type veth \
            peer name labs0 mtu 9000 netns "$host_pid_b" 2>"$work/ip.log" ||
        { echo "skipped: no namespaces here: $(cat "$work"/*.log)"; return 1; }
    on_b mount -t tmpfs tmpfs /dev/shm
    on_a sh -c 'ip link set lo up; ip addr add 10.77.0.1/24 dev labs0; ip link set labs0 up'
    on_b sh -c 'ip link set lo up; ip addr add 10.77.0.2/24 dev labs0; ip link set labs0 up'
    cat >"$work/ssh" <<EOF
#!/bin/sh
# ssh [options] HOST COMMAND
while :; do case \$1 in -*) shift ;; *) break ;; esac; done
host=\$1; shift
[ "\$host" = labs-b ] || { echo "ssh: Could not resolve hostname \$host" >&2; exit 255; }
exec nsenter -t $host_pid_b -n -u -m -p env -i HOME=/root PATH="$PATH" \\
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" sh -c "cd; \$*"
EOF
    chmod +x "$work/ssh"
    export OMPI_MCA_plm_rsh_agent=$work/ssh
}

# shellcheck disable=SC2016 # for that shell
on() { # pid, options of nsenter…, --, command…
    local pid=$1 options=(-n -u -m)
    shift
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    nsenter -t "$pid" "${options[@]}" sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
}
on_a() { on "$host_pid_a" -- "$@"; }
on_b() { on "$host_pid_b" -p -- "$@"; }
