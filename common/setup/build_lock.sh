#!/usr/bin/env bash
# build_lock.sh take|release BUILD MAKE: one make at a time builds in BUILD; another prints which
# one it waits for. MAKE is make's process; the lock is a symbolic link, BUILD/.making ->
# HOST:MAKE:START, with that process's start time, as its number may be reused. It is created
# atomically, and invalid once its make has ended. A make that only runs a program after building
# releases it, so the next one need not wait for the program. Exit status 2: no lock can be taken
# there, and why; 3: BUILD is gone.
set -eu
export LC_ALL=C
began() { # process: nothing, if it does not exist
    sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d ' ' -f 20
}
host=${HOSTNAME:-$(uname -n)}
action=$1 lock=$2/.making me=$host:$3:$(began "$3")

lives() { # HOST:PROCESS:START; a process of another host cannot be asked
    local of=${1%%:*} process=${1#*:}
    [ "$of" != "$host" ] || [ "$process" = "${process%%:*}:$(began "${process%%:*}")" ]
}
not_ours() { echo "$lock: not a lock of make's: remove it" >&2; exit 2; }
cannot() {
    echo "${lock%/*}: cannot be written to; its owner can: $(ls -ld "${lock%/*}")" >&2
    exit 2
}
holder() { readlink "$lock" 2>/dev/null || true; }

tries=0
again() { # for two seconds
    tries=$((tries + 1))
    if [ $tries = 50 ]; then
        echo "${lock%/*}: no symbolic link can be made there, for the lock: use BUILD=FOLDER on" \
            "another file system" >&2
        exit 2
    fi
    [ $tries -lt 10 ] || sleep 0.05
}

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
        [ -e "${lock%/*}" ] || exit 3
        [ -w "${lock%/*}" ] || cannot
        again
    elif ! lives "$held"; then
        # Several makes may find this: one of them removes it, and looks again first, or it might
        # remove the lock of a make that was faster.
        if ln -s "$me" "$lock.gone" 2>/dev/null; then
            [ "$(holder)" != "$held" ] || rm -f "$lock" || cannot
            rm -f "$lock.gone"
        else
            [ -w "${lock%/*}" ] || cannot
            remover=$(readlink "$lock.gone" 2>/dev/null || true)
            [ -z "$remover" ] || lives "$remover" || rm -f "$lock.gone" || cannot
            again
        fi
    else
        process=${held#*:}
        [ -n "$waiting" ] || echo "another make (process ${process%%:*} on ${held%%:*}) builds in" \
            "${lock%/*}: waiting for it; if it is gone, remove $lock" >&2
        waiting=yes
        sleep 0.2
    fi
done
