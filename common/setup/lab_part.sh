#!/usr/bin/env bash
# lab_part.sh about LAB PROGRAM: a line about a part of a lab, from LAB/parts.txt: its number, core
# or choice, minutes, difficulty. Nothing, if that file does not name it.
#
# lab_part.sh choose LAB LAST NEXT: the name of the part that 'make lab1' opens: the first whose
# exercises do not all pass; with NEXT, the one after that in the file LAST, which was opened last.
# LAST then has the name. $MAKE builds and runs the checks of those that look done.
set -u
action=$1 lab=$2
names() { sed -n 's/^\([0-9][^ |]*\).*/\1/p' "$lab/parts.txt"; }

about() { # program
    local name=${1##*/}
    [ ! -e "$lab/parts.txt" ] || awk -F ' *[|] *' -v name="$name" -v of="$(names | wc -l)" '
        $1 == name { sub(/_.*/, "", $1); sub(/ *$/, "", $4)
            printf "part %s of %d · %s · about %d minutes · %s\n", $1, of, $2, $3, $4 }' \
        "$lab/parts.txt"
}

# Do its exercises pass? One with a TODO is not tried.
finished() { # part
    local file name names=()
    for file in "$lab/check/${1%%_*}"[a-z_]*.c; do
        name=$(basename "$file" .c)
        file=$lab/exercises/$name.c
        [ ! -e "$lab/$name.c" ] || continue # a program
        [ -e "$file" ] && ! grep -q '^ *TODO(' "$file" || return 1
        names+=("$name")
    done
    for name in "${names[@]}"; do
        $MAKE --no-print-directory -s check LAB="${lab%%_*}" ONLY="$name" </dev/null \
            >/dev/null 2>&1 || return 1
    done
}
choose() { # last, next
    local part='' before last=''
    [ ! -e "$1" ] || last=$(cat "$1")
    if [ -n "$2" ]; then
        before=
        for part in $(names); do
            [ "$before" != "$last" ] || break
            before=$part
            part=
        done
        [ -n "$part" ] ||
            { echo "that was the last part: ${lab%%_*} has $(names | wc -l)" >&2; return 1; }
    else
        for part in $(names); do
            finished "$part" || break
            part=
        done
        [ -n "$part" ] || {
            echo "every part is done: 'make ${lab%%_*} ONLY=5_' opens one again" >&2; return 1; }
    fi
    echo "$part" | tee "$1"
}

case $action in
    about) about "$3" ;;
    choose) choose "$3" "${4-}" ;;
esac
