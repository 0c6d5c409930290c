#!/usr/bin/env bash
# build_lock.sh take|release BUILD MAKE: one make at a time builds in BUILD; another waits, and says
# for which. MAKE is the process of make; the lock is a symbolic link, BUILD/.making -> HOST:MAKE:
# it appears in one step, and ends with its make, however that ends. A make that has built, and now
# only runs a program, releases it: the next one need not wait for the program.
set -eu
export LC_ALL=C
action=$1 lock=$2/.making me=${HOSTNAME:-$(uname -n)}:$3

lives() { # HOST:PROCESS; a process of another host cannot be asked
    [ "${1%:*}" != "${me%:*}" ] || kill -0 "${1##*:}" 2>/dev/null || [ -e "/proc/${1##*:}" ]
}
not_ours() { echo "$lock: not a lock of make's: remove it" >&2; exit 2; }
holder() { readlink "$lock" 2>/dev/null || true; }

if [ "$action" = release ]; then
    [ "$(holder)" != "$me" ] || rm -f "$lock"
    exit 0
fi
waiting=
while true; do
    if [ -d "$lock" ] && [ ! -L "$lock" ]; then not_ours; fi
    ln -s "$me" "$lock" 2>/dev/null && exit 0
    held=$(holder)
    [ "$held" != "$me" ] || exit 0
    if [ -z "$held" ]; then # released just now, or something else is in its place
        [ ! -e "$lock" ] || not_ours
        [ -w "${lock%/*}" ] || { echo "${lock%/*}: cannot be written to" >&2; exit 2; }
    elif ! lives "$held"; then
        # Several makes may find this: one of them removes it, and looks again first, or it might
        # remove the lock of a make that was faster.
        if ln -s "$me" "$lock.gone" 2>/dev/null; then
            [ "$(holder)" != "$held" ] || rm -f "$lock"
            rm -f "$lock.gone"
        else
            remover=$(readlink "$lock.gone" 2>/dev/null || true)
            [ -z "$remover" ] || lives "$remover" || rm -f "$lock.gone"
        fi
    else
        [ -n "$waiting" ] || echo "another make (process ${held##*:} on ${held%:*}) builds in" \
            "${lock%/*}: waiting for it; if it is gone, remove $lock" >&2
        waiting=yes
        sleep 0.2
    fi
done
