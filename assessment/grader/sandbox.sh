#!/usr/bin/env bash
# sandbox.sh works: prints which sandbox can be used here; if none, why, with status 1.
# sandbox.sh HAND [OPTIONS OF bwrap…] -- COMMAND…: runs the command in the sandbox.
#
# Only this script knows bubblewrap. The command sees the system's programs and libraries,
# read-only, what the options add, and HAND, an empty folder, as /submission/hand, its only
# output. It has no network, its own processes, shared memory, /tmp and
# host name, an empty environment, and no rights: root becomes another user; an ordinary user stays
# itself in a user namespace that allows no further one. Its processes end when it ends, and it ends
# with its caller.
#
# Without bubblewrap, in a container that is thrown away after one submission (LABS_CONTAINER set,
# as by assessment/kit/run_autograder), root becomes another user, and what the options show is
# copied to /submission. It then can use all files that other users may read or
# write, and the container's network and /tmp.
#
# Limits here hold for each process: address space (none where a GPU is, whose driver maps far more
# than it uses, and none under sanitizers: SANDBOX_MEMORY=unlimited), files open, processes of this
# user, seconds of processor time; those of the whole tree are the caller's (common/child.h: memory
# and processes by a watcher; no cgroup is needed).
set -u
export LC_ALL=C
path=/usr/local/bin:/usr/bin:/bin
# Root becomes a user of this sandbox alone, since the kernel counts processes per user: one
# submission's fork bomb then takes no other's. A container may not have that user.
nobody=$((1000000000 + $$))
[ "$(id -u)" != 0 ] || setpriv "--reuid=$nobody" "--regid=$nobody" --clear-groups true \
    2>/dev/null || nobody=65534
address_space=${SANDBOX_MEMORY:-4194304} # KiB
[ ! -e /dev/nvidiactl ] || address_space=unlimited
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
        exec "$@" 9<&-' limits "$address_space" "${SANDBOX_SECONDS:-unlimited}" "$@" \
        9< <(printf '%s\0' "${view[@]}" --chdir "$where" --remount-ro /)
}

# The same without bubblewrap: copies, where it shows.
enter_container() { # hand, options… -- command…
    local hand=$1 where=/submission to; shift
    rm -rf /submission && mkdir -m 0755 /submission || exit 2
    while [ "$1" != -- ]; do
        case $1 in
            --ro-bind)
                to=$3
                [[ $to = /submission/* ]] || to=/submission/root$3
                mkdir -p "${to%/*}"
                if [ -S "$2" ]; then ln "$2" "$to" && chmod a+rw "$to"
                else cp -rL "$2" "$to" && chmod -R a+rX "$to"; fi || exit 2
                shift 3 ;;
            --chdir) where=/submission/root$2; shift 2 ;;
            *) shift 3 ;; # --setenv: of sanitizers
        esac
    done
    shift
    rm -rf "$hand" && ln -s /submission/hand "$hand" || exit 2 # also a link, from before
    mkdir -m 0755 /submission/hand && chown $nobody:$nobody /submission/hand || exit 2
    cd "$where" || exit 2
    # shellcheck disable=SC2016 # the shell inside expands it
    exec env -i PATH="$path" HOME=/tmp LANG=C.UTF-8 setpriv --reuid=$nobody --regid=$nobody \
        --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all bash -c '
        ulimit -c 0 -n 1024 -v "$1" -t "$2" && ulimit -u 512 || exit 2
        shift 2
        exec "$@"' limits "$address_space" "${SANDBOX_SECONDS:-unlimited}" "$@"
}

bubblewrap_works() { # sets words: why not
    words="$name is not installed: install it (make doctor says how)"
    type -P bwrap >/dev/null || return 1
    [ "$(id -u)" != 0 ] || type -P setpriv >/dev/null ||
        { words="setpriv is not installed: install util-linux"; return 1; }
    local output
    output=$(enter -- true 2>&1) && return 0
    words="$name is installed, but this system does not let it make a sandbox"
    words+=" ($(tail -n 1 <<<"$output" | tr -cd '[:print:]')): it must be allowed user namespaces:"
    words+=" by an AppArmor profile for bwrap or 'sysctl"
    words+=" kernel.apparmor_restrict_unprivileged_userns=0' (Ubuntu 24.04), by 'sysctl"
    words+=" kernel.unprivileged_userns_clone=1', or in the options of the container"
    return 1
}
is_container() { [ "$(id -u)" = 0 ] && [ -n "${LABS_CONTAINER-}" ] && type -P setpriv >/dev/null; }

if [ "${1-}" = works ]; then
    if bubblewrap_works; then echo "$name"
    elif is_container; then echo "another user, in a container"
    else echo "$words"; exit 1
    fi
    exit 0
fi
if is_container && ! bubblewrap_works; then enter_container "$@"; fi
hand=$1
shift
[ "$(id -u)" != 0 ] || chown $nobody:$nobody "$hand" || exit 2
enter --bind "$hand" /submission/hand "$@"
