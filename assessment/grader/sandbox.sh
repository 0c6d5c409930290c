#!/usr/bin/env bash
# sandbox.sh works: can it be used here? If not, says why, and ends with status 1.
# sandbox.sh HAND [OPTIONS OF bwrap…] -- COMMAND…: runs it where it can harm nothing.
#
# Only this script knows bubblewrap. The command sees the system's programs and libraries,
# read-only, what the options add, and HAND, an empty folder, as /submission/hand, the only place
# from which anything of it comes out. It has no network, its own processes, shared memory, /tmp and
# host name, an empty environment, and no rights: root becomes another user; an ordinary user stays
# itself in a user namespace that allows no further one. What it starts ends with it, and it with
# its caller.
#
# Limits here hold for each process: address space (none under sanitizers:
# SANDBOX_MEMORY=unlimited), files open, processes of this user, seconds of processor time; those
# of the whole tree are the caller's (common/child.h: memory and processes by a watcher; no cgroup
# is needed).
set -u
nobody=65534 path=/usr/local/bin:/usr/bin:/bin
name=bubblewrap

folders_above() { # file: adds to view
    local above=${1%/*}
    [ -n "$above" ] && [ -z "${seen[$above]-}" ] || return 0
    seen[$above]=yes
    folders_above "$above"
    view+=(--perms 0755 --dir "$above")
}

enter() { # options of bwrap… -- command…
    local -a view=(--die-with-parent --unshare-pid --unshare-ipc --unshare-net --unshare-uts
        --unshare-cgroup-try --hostname sandbox --clearenv --setenv PATH "$path" --setenv HOME /tmp
        --setenv LANG C.UTF-8 --ro-bind /usr /usr) drop=()
    local folder device where=/submission
    local -A seen=()
    for folder in /etc /sys /sys/devices /submission; do # bubblewrap's own would be 0700
        view+=(--perms 0755 --dir "$folder")
    done
    for folder in /bin /sbin /lib /lib32 /lib64 /libx32; do
        if [ -L "$folder" ]; then view+=(--symlink "$(readlink "$folder")" "$folder")
        else view+=(--ro-bind-try "$folder" "$folder"); fi
    done
    for folder in ld.so.cache ld.so.conf ld.so.conf.d alternatives openmpi fonts; do
        view+=(--ro-bind-try "/etc/$folder" "/etc/$folder")
    done
    view+=(--ro-bind-try /sys/devices/system /sys/devices/system --proc /proc --dev /dev
        --size 67108864 --perms 1777 --tmpfs /tmp --size 536870912 --perms 1777 --tmpfs /dev/shm)
    for device in /dev/nvidia*; do
        [ ! -e "$device" ] || view+=(--dev-bind "$device" "$device")
    done
    view+=(--remount-ro /dev)
    if [ "$(id -u)" = 0 ]; then
        view+=(--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP)
        drop=(setpriv "--reuid=$nobody" "--regid=$nobody" --clear-groups --no-new-privs
            --bounding-set=-all --inh-caps=-all)
        # The other user may not make a user namespace either: one inside of which that is off.
        if "${drop[@]}" unshare --user true 2>/dev/null; then
            drop+=(bwrap --unshare-user --disable-userns --die-with-parent --dev-bind / / --)
        fi
    else
        view+=(--unshare-user --disable-userns --cap-drop ALL)
    fi
    while [ "$1" != -- ]; do
        case $1 in --bind | --ro-bind) folders_above "$3" ;; esac
        case $1 in
            --chdir) where=$2; shift 2 ;;
            *) view+=("$1" "$2" "$3"); shift 3 ;;
        esac
    done
    shift
    # shellcheck disable=SC2016 # the shell inside expands it
    # The view is not on a command line, which the submission could read.
    exec bwrap --args 9 "${drop[@]}" bash -c '
        ulimit -c 0 -n 1024 -v "$1" -t "$2" && ulimit -u 512 || exit 2
        shift 2
        exec "$@" 9<&-' limits "${SANDBOX_MEMORY:-4194304}" "${SANDBOX_SECONDS:-unlimited}" "$@" \
        9< <(printf '%s\0' "${view[@]}" --chdir "$where" --remount-ro /)
}

if [ "${1-}" = works ]; then
    type -P bwrap >/dev/null || { echo "$name is not installed"; exit 1; }
    [ "$(id -u)" != 0 ] || type -P setpriv >/dev/null ||
        { echo "setpriv is not installed"; exit 1; }
    words=$(enter -- true 2>&1) && exit 0
    echo "$name does not work here: $(tail -n 1 <<<"$words" | tr -cd '[:print:]' | head -c 200)"
    exit 1
fi
hand=$1
shift
[ "$(id -u)" != 0 ] || chown $nobody:$nobody "$hand" || exit 2
enter --bind "$hand" /submission/hand "$@"
