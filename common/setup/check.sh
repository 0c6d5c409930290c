#!/usr/bin/env bash
# check.sh PROGRAM…: run the exercises' checks, each BUILD/VARIANT/LAB/check/NAME, in this order.
# Each prints a line per exercise, with its points as WON/OF. What is wrong is shown at once and
# first, the mistake before the contract, within 100 columns; then what is right and what is to do;
# after each lab the sum. A student's mistakes are also kept in BUILD/out/mistakes.txt, for
# class.sh: "lab2 all_reduce_ring: what was found". Exit status: 0 nothing is wrong (what is to do
# is not), 1 a line says FAIL or a note what is ignored, or the highest status of a check above 1.
#
# These programs have no line of a student's code, but start others that do, and what those print
# comes indented. That guards against mistakes, not against code that looks for the verdict's file:
# the assessment is graded in a sandbox.
set -u
export LC_ALL=C
work=$(mktemp -d) || exit 2
export LABS_PARENT=${LABS_PARENT:-$$} # what this starts ends with it
"${BASH_SOURCE[0]%/*}/guard.sh" watch $$
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT

colour='' terminal=''
[ ! -t 1 ] || terminal=yes
[ -z "$terminal" ] || [ -n "${NO_COLOR-}" ] || [ "${TERM-dumb}" = dumb ] || colour=yes

# Lines of 100 columns, the words beside the verdict in the colour; "expected; found: why" becomes
# the mistake, and what was expected beneath it, or which question it was. The names of answers,
# which begin with a digit, are long: they have a column as wide as the longest. Colours and the
# later bytes of a character take no column.
show() {
    awk -v colour="$colour" '
        function columns(s) {
            gsub(/\033\[[0-9;]*m|[\200-\277]/, "", s)
            return length(s)
        }
        function wrap(first, text,    words, n, i, line) {
            n = split(text, words, " "); line = first
            for (i = 1; i <= n; i++) {
                if (columns(line) + 1 + columns(words[i]) > 100 && i > 1) {
                    print line; line = "     "
                }
                line = line (i == 1 || line == "     " ? "" : " ") words[i]
                if (line == "     " words[i]) line = "      " words[i]
            }
            print line
        }
        function paint(line) {
            if (colour)
                sub(/^(PASS|FAIL|TODO)/, code[substr(line, 1, 4)] "&\033[0m", line)
            return line
        }
        function in_columns(head,    part) {
            if (split(head, part, " ") != 3 || part[2] !~ /^[0-9]/) return head
            return sprintf("%s  %-*s  %5s  ", part[1], longest, part[2], part[3])
        }
        NR == FNR {
            if (/^(PASS|FAIL|TODO)  [0-9]/ && length($2) > longest) longest = length($2)
            next
        }
        BEGIN { code["PASS"] = "\033[32m"; code["FAIL"] = "\033[1;31m"; code["TODO"] = "\033[33m" }
        /^FAIL / && (at = index($0, "; found: ")) && match($0, /  [ 0-9]*[0-9]\/[0-9]+ *  /) {
            head = substr($0, 1, RSTART + RLENGTH - 1)
            why = substr($0, at + 9); rest = substr($0, length(head) + 1, at - length(head) - 1)
            numbers = ""
            if (match(why, /[;?] with /)) {
                numbers = substr(why, RSTART + 2); why = substr(why, 1, RSTART)
            }
            wrap(paint(in_columns(head)), why)
            if (numbers) wrap("      ", numbers)
            wrap("      ", (rest ~ /^[0-9]+\.[0-9]+: / ? "question " : "expected: ") rest); next
        }
        /^(PASS|TODO) / && match($0, /  [ 0-9]*[0-9]\/[0-9]+ *  /) {
            head = substr($0, 1, RSTART + RLENGTH - 1)
            wrap(paint(in_columns(head)), substr($0, length(head) + 1)); next
        }
        /^note: / { wrap("note: ", substr($0, 7)); next }
        { print }' "$1" "$1"
}

worst=0
lab_of() { basename "$(dirname "$(dirname "$1")")"; }
# What is in exercises/ beside the exercises: copies, files with another name.
ignored() { # lab, a check of it
    local file name
    case $2 in */sol/*) return ;; esac
    for file in "$1"/exercises/*.c "$1"/exercises/answers*; do
        name=$(basename "$file" .c)
        [ -e "$file" ] && [ ! -e "$1/check/${name}_check.c" ] && [ "$name" != answers.txt ] ||
            continue
        echo "note: $file is ignored: no exercise has this name"
    done
}
# Of the checks of the lab's core parts: how many have not passed?
count_core() { # lab; sets core to those parts' numbers and core_left
    local number file name
    core=$("${BASH_SOURCE[0]%/*}/parts.sh" core "$1" | paste -sd ' ')
    core_left=0
    for number in $core; do
        for file in "$1/check/$number"[a-z_]*_check.c; do
            name=$(basename "$file" _check.c)
            [ ! -e "$file" ] || [[ $passed == *" $name "* ]] || core_left=$((core_left + 1))
        done
    done
}
# Names an exercise by its file: 1a_gradient, not gradient.
with_number() { # check, its output
    local name=${1##*/}
    sed -E "s/^(PASS|FAIL|TODO)  ${name#*_}  /\1  $name  /" "$2"
}
# Of the lines, each mistake once.
keep_mistakes() { # a check
    local out=${1%/*/*/*/*}/out
    case $1 in */sol/*) return ;; esac
    mkdir -p "$out" || return
    {
        cat "$out/mistakes.txt" 2>/dev/null
        awk -v lab="${lab%%_*}" '/^FAIL / && (at = index($0, "; found: ")) {
            why = substr($0, at + 9); sub(/[;?] with .*/, "", why)
            name = substr($0, 7); sub(/  .*/, "", name)
            print lab " " name ": " why
        }' "$work/lines"
    } | sort -u >"$work/mistakes"
    mv "$work/mistakes" "$out/mistakes.txt.$$" && mv "$out/mistakes.txt.$$" "$out/mistakes.txt"
}
while [ $# -gt 0 ]; do
    lab=$(lab_of "$1") first=$1
    ignored "$lab" "$1" >"$work/one"
    show "$work/one"
    : >"$work/lines"
    : >"$work/later"
    passed=' ' checked=0
    while [ $# -gt 0 ] && [ "$(lab_of "$1")" = "$lab" ]; do
        [ -z "$terminal" ] || printf 'checking %s …\r' "${1##*/}"
        "$1" </dev/null >"$work/one"
        status=$?
        [ -z "$terminal" ] || printf '\033[K'
        with_number "$1" "$work/one" >"$work/numbered"
        if ! grep -qE '^(PASS|FAIL|TODO) ' "$work/one"; then
            show "$work/one"
            echo "error: $1 ended with status $status before its verdict: its points are missing"
            [ "$status" -gt 1 ] || status=2
        elif grep -q '^FAIL \|^note: ' "$work/one"; then show "$work/numbered"
        else cat "$work/numbered" >>"$work/later"
        fi
        cat "$work/one" >>"$work/lines"
        [ "$status" != 0 ] || passed+="${1##*/} "
        checked=$((checked + 1))
        [ "$status" = 77 ] && status=0 # still to do
        [ "$status" -le "$worst" ] || worst=$status
        shift
    done
    show "$work/later"
    keep_mistakes "$first"
    awk '/^(PASS|FAIL|TODO) / && match($0, / [0-9]+\/[0-9]+ /) {
            split(substr($0, RSTART, RLENGTH), part, /[ \/]/); won += part[2]; of += part[3]
            to_do += $1 == "TODO" }
        END { printf "%d of %d points%s\n", won, of, to_do ? ", " to_do " to do" : "" }' \
        "$work/lines"
    count_core "$lab"
    if [ -z "$core" ]; then :
    elif [ $core_left = 0 ]; then echo "core done: every exercise of parts $core is right"
    elif [ "$checked" -ge "$(printf '%s\n' "$lab"/check/*_check.c | wc -l)" ]; then
        echo "core (parts $core): $core_left checks to go"
    fi
done
exit "$worst"
