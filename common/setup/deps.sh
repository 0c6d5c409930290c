#!/usr/bin/env bash
# deps.sh OUT SET…: makes sure that this machine has what a build needs. Sets: run, and needs of
# parts.txt: window data grade unit test lint.
# Probes; if the system has apt-get, prints and installs exactly what is missing (with sudo if not
# root), and probes again. DEPS=no: only prints. Exit 2, with the list and the command, if a
# required part is still missing. make calls it when OUT/config.mk is missing or out of date. Lists
# of parts and packages are words in strings:
# shellcheck disable=SC2005,SC2046,SC2086,SC2116
set -u
export LC_ALL=C
# shellcheck source=common/setup/packages.sh
. "$(dirname "$0")/packages.sh"
out=$1; shift
needs="required optional" must=required
[ ! -d lab1_gd/solution ] || needs="$needs solution" must="required solution"
for set in "$@"; do
    needs="$needs $set"
    case $set in unit | test | lint) must="$must $set" ;; esac
done

say() { echo "setup: $*" >&2; }
probe() { "$(dirname "$0")/probe.sh" "$out" "$@"; }

# root_command: the prefix of a command that needs root: nothing, or a sudo that cannot hang: it
# asks for a password only on a terminal.
root_command() {
    if [ "$(id -u)" = 0 ]; then return 0
    elif sudo -n true 2>/dev/null; then echo "sudo -n"
    elif command -v sudo >/dev/null 2>&1 && [ -t 0 ] && [ -t 2 ]; then echo sudo
    else return 1
    fi
}
# apt DOING ARGUMENT…: apt-get, with its progress on the screen and its words in the log. Ctrl-C
# ends it, but not when it installs: dpkg, stopped half way, needs a repair.
apt() {
    local doing=$1 session=
    [ "$1" != installing ] || session="setsid --wait"
    shift
    $root $session env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q -o APT::Status-Fd=1 \
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null 2>&1 |
        show_progress "$doing" >>"$out/apt.log"
    return "${PIPESTATUS[0]}"
}
# show_progress DOING: apt-get's status lines, "dlstatus:1:41.5:WORDS", become one line of a
# terminal, written again and again; elsewhere a line every ten seconds. Prints the other lines.
show_progress() {
    local line='' part got percent=0 what='' shown=$SECONDS began=$SECONDS start='' end=$'\n'
    [ ! -t 2 ] || [ "${TERM:-dumb}" = dumb ] || { start=$'\r' end=$'\e[K'; }
    trap '' INT
    [ "$1" != installing ] || trap 'printf "$start$end" >&2
        say "apt-get is installing and must not stop half way: letting it finish"' INT
    while true; do
        IFS= read -r -t 1 part
        got=$?
        line+=$part # when a second is over: a part of one, or nothing
        if [ $got = 0 ]; then
            case $line in
                dlstatus:*:*:* | pmstatus:*:*:*)
                    part=${line#*:*:}
                    percent=${part%%[.:]*} what=${part#*:} ;;
                *) echo "$line" ;;&
                *'for cache lock'*) what='waiting for another package manager' ;;
            esac
            line=
        elif [ $got -lt 128 ]; then break
        fi
        [ -n "$start" ] || [ $((SECONDS - shown)) -ge "${SETUP_SECONDS:-10}" ] || continue
        shown=$SECONDS
        printf "$start%.79s$end" "setup: $1: $percent %, $((SECONDS - began)) s  $what" >&2
    done
    [ -z "$start" ] || printf "$start$end" >&2
}
update() { apt 'reading the package lists' update; }
fetch() { apt fetching install -y --no-install-recommends --download-only "$@"; }

# install PACKAGE…: updates the package lists only if they lack one of these, or are so old that a
# file is gone.
install() {
    local size began=$SECONDS
    if ! root=$(root_command); then
        say "not root, and sudo needs a password here: ask the administrator to run that command"
        return 1
    fi
    [ "$root" != sudo ] || sudo -v || return 1 # asks before there is progress on the screen
    trap 'say "stopped: run it again to continue from here"; exit 130' INT
    size=$(apt_size "$@") || { update; size=$(apt_size "$@"); }
    say "installing ${size:-what apt-get knows of them}; log: $out/apt.log"
    if { fetch "$@" || { update && fetch "$@"; }; } &&
        apt installing install -y --no-install-recommends "$@"; then
        say "installed in $((SECONDS - began)) s"
        trap - INT
        return 0
    fi
    say "apt-get failed: $(grep -a '^E:' "$out/apt.log" | tail -n 1)"
    return 1
}

probe "$@" || exit 2
missing=$(missing_parts $needs)
if [ -n "$missing" ]; then
    packages=$(echo $(not_installed $(packages_of $missing)))
    say "missing:"
    for part in $missing; do
        say "    $part: $(part_field "$part" 3) ($(grep "^$part	" "$out/probe/results" | cut -f 4))"
    done
    if [ -z "$packages" ]; then say "no package on this system provides it; 'make doctor' says more"
    else
        say "$(install_command $packages)"
        if [ "${DEPS:-}" = no ]; then say "DEPS=no: nothing is installed"
        elif [ "$(package_manager)" = apt-get ] && install $packages; then probe "$@" || exit 2
        fi
    fi
fi
missing=$(missing_parts $must)
[ -n "$missing" ] || exit 0
rm -f "$out/config.mk"
say "cannot continue without: $(echo $missing)"
packages=$(not_installed $(packages_of $missing))
[ -z "$packages" ] || say "install it with: $(install_command $packages)"
exit 2
