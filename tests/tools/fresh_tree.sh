#!/usr/bin/env bash
# fresh_tree.sh [--suite=SUITE] [COMMAND]: a fresh machine in a folder. Creates a minimal system of
# this machine's distribution, of this release or of SUITE (bookworm, trixie), from this machine's
# package sources, with only make and certificates in it; copies the committed HEAD into it; and
# runs COMMAND there with sh, in the project's folder, in a clean environment (CI and the proxies
# are passed on). Without COMMAND: an interactive shell. The exit status is the command's; 77, and
# one line that says why, if no such tree can be created. Root only.
#
# Its mounts and processes are in separate namespaces: they end with it, however it ends.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
suite=''
case ${1-} in --suite=*) suite=${1#*=}; shift ;; esac
cannot() { echo "no fresh tree${suite:+ of $suite}: $*" >&2; exit 77; }

[ "$(id -u)" = 0 ] || cannot "not root"
command -v apt-get >/dev/null || cannot "this system does not use apt-get"
unshare --mount --pid --fork mount -t tmpfs none /mnt 2>/dev/null || cannot "mount is not allowed"
git rev-parse HEAD >/dev/null 2>&1 || cannot "the project is not in git"
tree=$(mktemp -d)
trap 'rm -rf --one-file-system "$tree"' EXIT
trap 'exit 130' INT TERM HUP
if ! command -v debootstrap >/dev/null; then
    apt-get update >"$tree/log" 2>&1 || true
    DEBIAN_FRONTEND=noninteractive apt-get install -y debootstrap >>"$tree/log" 2>&1 ||
        cannot "debootstrap cannot be installed: $(grep -m 1 '^E:' "$tree/log")"
fi

# shellcheck source=/dev/null
here=$(. /etc/os-release && echo "$VERSION_CODENAME")
: "${suite:=$here}"
eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
[ -z "${http_proxy-}" ] || export http_proxy
[ -z "${https_proxy-}" ] || export https_proxy
mirror=$(apt-get indextargets --format "\$(REPO_URI)" \
    'Created-By: Packages' 'Component: main' "Release: $here" | head -n 1)
[ -n "$mirror" ] || cannot "apt-get knows no source of $here"
root=$tree/root
debootstrap --variant=minbase --include=make,ca-certificates "$suite" "$root" "$mirror" \
    >"$tree/log" 2>&1 || cannot "debootstrap: $(tail -n 1 "$tree/log")"

# The package sources, and how apt-get reaches them, as on this machine; for another suite those of
# this one, renamed.
cp -rL /etc/apt/sources.list* "$root/etc/apt/"
if [ "$suite" != "$here" ]; then
    for file in "$root/etc/apt/sources.list" "$root"/etc/apt/sources.list.d/*; do
        [ -f "$file" ] || continue
        if grep -qw "$here" "$file"; then sed -i "s/\b$here\b/$suite/g" "$file"
        else rm "$file"; fi
    done
fi
for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
    if grep -qs Acquire "$file"; then cp -L "$file" "$root/etc/apt/apt.conf.d/"; fi
done
for keys in /etc/apt/keyrings /etc/apt/trusted.gpg.d /usr/share/keyrings; do
    [ ! -d $keys ] || { mkdir -p "$root$keys"; cp -rLn $keys/. "$root$keys/"; }
done
cp -L /etc/hosts /etc/resolv.conf "$root/etc/"
mkdir -p "$root/labs"
git archive HEAD | tar -x -C "$root/labs"

environment=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM="${TERM:-dumb}")
for name in CI http_proxy https_proxy no_proxy; do
    [ -z "${!name-}" ] || environment+=("$name=${!name}")
done
# The first process in the tree is sh itself, not make: it collects the orphans. The tree is a mount
# of its own: bubblewrap needs a root that is one.
# shellcheck disable=SC2016
inside='mount --bind "$1" "$1" && mount -t proc proc "$1/proc" &&
    mount -t sysfs -o ro sysfs "$1/sys" &&
    mkdir -p "$1/dev/shm" "$1/dev/pts" && mount -t tmpfs tmpfs "$1/dev/shm" &&
    mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts" || exit 77
    root=$1; shift; chroot "$root" env -i "$@"; exit'
run=(sh -i); [ $# = 0 ] || run=(sh -c "$*")
unshare --mount --pid --fork --kill-child sh -c "$inside" sh "$root" "${environment[@]}" \
    sh -c 'cd /labs && exec "$@"' sh "${run[@]}"
