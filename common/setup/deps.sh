#!/usr/bin/env bash
# deps.sh OUT SET…: makes sure that this machine has what a build needs. Sets: run unit test lint.
# Probes; if the system has apt-get, prints and installs exactly what is missing (with sudo if not
# root), and probes again. DEPS=no: only prints. Exit 2, with the list and the command, if a
# required part is still missing. make calls it when OUT/config.mk is missing or out of date. Lists
# of parts and packages are words in strings:
# shellcheck disable=SC2005,SC2046,SC2086,SC2116
set -u
# shellcheck source=common/setup/packages.sh
. "$(dirname "$0")/packages.sh"
out=$1; shift
needs="required optional"; must=required
for set in "$@"; do
    case $set in unit | test | lint) needs="$needs $set"; must="$must $set" ;; esac
done

say() { echo "setup: $*" >&2; }
probe() { "$(dirname "$0")/probe.sh" "$out" "$@"; }
missing_parts() { # NEED…
    local part
    for part in $(part_list "$@"); do
        if grep -q "^$part	missing" "$out/probe/results"; then echo "$part"; fi
    done
}

# root_command: the prefix of a command that needs root: nothing, or a sudo that cannot hang: it
# asks for a password only on a terminal.
root_command() {
    if [ "$(id -u)" = 0 ]; then return 0
    elif sudo -n true 2>/dev/null; then echo "sudo -n"
    elif command -v sudo >/dev/null 2>&1 && [ -t 0 ] && [ -t 2 ]; then echo sudo
    else return 1
    fi
}
apt() { # ARGUMENT…
    $root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
        -o Acquire::Retries=3 "$@" </dev/null >>"$out/apt.log" 2>&1
}

# install PACKAGE…: updates the package lists only if they lack one of these, or are so old that a
# file is gone.
install() {
    if ! root=$(root_command); then
        say "not root, and sudo needs a password here: ask the administrator for that command"
        return 1
    fi
    say "installing; log: $out/apt.log"
    apt_knows "$@" || { say "the package lists lack some of these: apt-get update"; apt update; }
    apt install -y --no-install-recommends "$@" && return
    apt update && apt install -y --no-install-recommends "$@" && return
    say "apt-get failed: $(grep -a '^E:' "$out/apt.log" | tail -n 1)"
    return 1
}

probe "$@"
missing=$(missing_parts $needs)
if [ -n "$missing" ]; then
    packages=$(echo $(not_installed $(packages_of $missing)))
    say "missing:"
    for part in $missing; do
        say "    $part: $(part_field "$part" 3) ($(grep "^$part	" "$out/probe/results" | cut -f 4))"
    done
    if [ -z "$packages" ]; then say "no package of this system helps; 'make doctor' says more"
    else
        say "$(install_command $packages)"
        if [ "${DEPS:-}" = no ]; then say "DEPS=no: nothing is installed"
        elif [ "$(package_manager)" = apt-get ] && install $packages; then probe "$@"
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
