#!/usr/bin/env bash
# no_match.sh ONLY WANTED GOAL PROGRAM… -- OTHER…: no program that GOAL (check, lab1) could run has
# ONLY in its name, WANTED as it was understood. Says in a line what was meant perhaps: one of the
# others (VARIANT/LAB/NAME, or VARIANT/LAB/check/NAME), or the nearest name. Exit status 2.
set -u
export LC_ALL=C
only=$1 wanted=$2 goal=$3
shift 3
own=()
while [ "$1" != -- ]; do own+=("${1##*/}"); shift; done
shift
for other in "$@"; do
    lab=${other#*/} lab=${lab%%_*}
    case ${other##*/} in 99_answers) continue ;; *"$wanted"*) ;; *) continue ;; esac
    if [ "$goal" = check ]; then echo "$only is a program: make $lab ONLY=$only" >&2
    else echo "$only is an exercise: make check LAB=$lab ONLY=$only" >&2
    fi
    exit 2
done
nearest=$(printf '%s\n' "${own[@]}" | awk -v wanted="$wanted" '
    function least(a, b) { return a < b ? a : b }
    function distance(a, b,    i, j, corner, kept) { # letters left out, added or replaced
        for (j = 0; j <= length(b); j++) cost[j] = j
        for (i = 1; i <= length(a); i++) {
            corner = cost[0]; cost[0] = i
            for (j = 1; j <= length(b); j++) {
                kept = cost[j]
                cost[j] = least(corner + (substr(a, i, 1) != substr(b, j, 1)),
                    1 + least(cost[j], cost[j - 1]))
                corner = kept
            }
        }
        return cost[length(b)]
    }
    BEGIN { best = int((length(wanted) + 2) / 3) + 1 }
    {
        rest = number = $0; sub(/^[0-9]+[a-z]?_/, "", rest); sub(/_.*/, "", number)
        split($0 " " rest " " number, form, " ")
        for (k = 1; k <= 3; k++)
            if ((d = distance(wanted, form[k])) < best) { best = d; name = form[k] }
    }
    END { print name }')
if [ -n "$nearest" ]; then echo "ONLY=$only: no name contains this: did you mean $nearest?" >&2
elif [ ${#own[@]} -gt 30 ]; then
    echo "ONLY=$only: no name contains this: with LAB=lab1, lab2 or lab3 this lists the names" >&2
else echo "ONLY=$only: none of these names has it: ${own[*]}" >&2
fi
exit 2
