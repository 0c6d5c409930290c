#!/usr/bin/env bash
# parts.sh: what the parts of a lab are, from its table LAB/parts.txt, which has a line for each
# numbered program, in order:
#
#     PROGRAM | RANKS | MINUTES | DIFFICULTY | core or choice | ABOUT
#
# RANKS: how many it starts on unless NP or HOSTS says otherwise; serial: one process, always.
# "core 6a 6b, 55 minutes": of this part's exercises these alone are core.
# Indented under it is what is made with its reference solution; OPTIONS may begin with NP=RANKS:
#
#     demo   | TITLE | OPTIONS                    a station of 'make demo'
#     figure | NAME=FOLDER/FIGURE … | OPTIONS     docs/NAME.png is FOLDER/FIGURE.png of the results
#     record | NAME | OPTIONS                     'make record': LAB/recorded/NAME
#
# parts.sh run LAB PROGRAM… -- OPTION…: runs these built programs in order; NP and HOSTS as in make.
# parts.sh choose LAB FILE PROGRAM…: the one of these built programs that 'make lab1' opens: that of
#     the first part which is not finished; NEXT=1: of the part after the one opened last; SOL=1,
#     where all are finished: the first. FILE keeps what was opened, and which exercises passed.
#     MAKE builds and runs a check.
# parts.sh runs KIND LAB…: a line LAB/PROGRAM|RANKS|NAME|OPTIONS for each demo, figure or record.
# parts.sh core LAB: the numbers of the core parts, or of the core exercises of one.
# parts.sh tables OUT HANDOUT…: the handouts, with their table of parts and the line under a part's
#     heading brought up to date, as OUT/LAB.md.
# Exit status: 0; 1: a program failed; 2: usage.
set -u
export LC_ALL=C
rows() { # lab: the lines of its programs
    grep -E '^[0-9]' "$1/parts.txt" 2>/dev/null
}
field() { # lab, program, column
    rows "$1" | awk -F ' *[|] *' -v name="$2" -v column="$3" '$1 == name { print $column }'
}
number() { echo "${1%%_*}"; }

about() { # lab, program
    rows "$1" | awk -F ' *[|] *' -v name="$2" '
        $1 + 0 > most { most = $1 + 0 }
        $1 == name { of = $1 + 0; text = sprintf("%s · about %d minutes · %s", $5, $3, $4) }
        END { if (text) printf "part %d of %d · %s\n", of, most, text }'
}

run() { # lab, program…, --, option…
    local lab=$1 programs=() program name ranks start status; shift
    trap 'exit 130' INT # also after a program that was just ending, with 0
    while [ "$1" != -- ]; do programs+=("$1"); shift; done
    shift
    for program in "${programs[@]}"; do
        name=${program##*/}
        echo "== $name   (alone: make ${lab%%_*} ONLY=$name)"
        about "$lab" "$name"
        ranks=$(field "$lab" "$name" 2)
        if [ "$ranks" = serial ]; then start=(--np 1)
        elif [ -n "${HOSTS-}" ]; then start=(${NP:+--np "$NP"} --hosts "$HOSTS")
        else start=(--np "${NP:-${ranks:-1}}")
        fi
        common/setup/launch.sh "${start[@]}" "$program" "$@"; status=$?
        if [ $status = 77 ]; then echo "${lab%%_*}: not all of it ran, for the reason above"
        elif [ $status != 0 ]; then
            case $(kill -l "$status" 2>/dev/null) in ILL | ABRT | FPE | SEGV)
                echo "$name crashed: 'make check LAB=${lab%%_*}' tries each exercise alone, and" \
                    "names the one that crashes" >&2 ;;
            esac
            return $status
        fi
    done
}

# Do the part's exercises pass, or its core exercises? One with a TODO is not tried; one that passed
# is not tried again until it is changed. A part without exercises is finished once it was opened.
finished() { # lab, program, file
    local file name number passed pending=() any='' of
    of=$(field "$1" "$2" 5)
    case $of in 'core '*) of=${of#core } of=${of%%,*} ;; *) of=$(number "$2") ;; esac
    for file in $(for number in $of; do echo "$1/check/$number"[a-z_]*_check.c; done); do
        [ -e "$file" ] || continue
        any=yes name=$(basename "$file" _check.c) file=$1/exercises/$name.c
        [ -e "$file" ] || file=$1/$name.c
        [ -e "$file" ] && ! grep -q '^ *TODO(' "$file" || return 1
        passed="passed $name $(cksum <"$file")"
        grep -qxF "$passed" "$3" || pending+=("$passed")
    done
    [ -n "$any" ] || { grep -qxF "opened $2" "$3"; return; }
    for passed in "${pending[@]}"; do
        name=${passed#passed } name=${name%% *}
        $MAKE --no-print-directory -s check LAB="${1%%_*}" ONLY="$name" NEXT= </dev/null 2>&1 |
            tee "$3.check" | grep --line-buffered '^building \|^\[ *[0-9]*/' >&2 # its first build
        # Its status is 0 too where something is still to do.
        grep -q '^PASS ' "$3.check" && ! grep -qE '^(TODO|FAIL) ' "$3.check" || return 1
        echo "$passed" >>"$3"
    done
}
choose() { # lab, file, program…
    local lab=$1 file=$2 program part='' last past=''
    touch "$file"
    last=$(sed -n 's/^opened //p' "$file" | tail -n 1)
    shift 2
    for program; do
        [ "$(number "${program##*/}")" != "$(number "$part")" ] || continue # its second program
        part=${program##*/}
        if [ "${NEXT:-0}" = 1 ]; then
            [ -z "$last" ] || [ -n "$past" ] ||
                { [ "$part" != "$last" ] || past=yes; continue; }
        elif [ "${SOL:-0}" = 0 ] && finished "$lab" "$part" "$file"; then continue
        fi
        echo "opened $part" >>"$file"
        echo "$program"
        return
    done
    if [ "${NEXT:-0}" = 1 ]; then
        echo "that was the last part: ${lab%%_*} has $(number "$part") parts" >&2
    else echo "every part is done: 'make ${lab%%_*} ONLY=5' opens one again" >&2
    fi
    return 1
}

runs() { # kind, lab…
    local kind=$1 lab; shift
    for lab; do
        awk -F ' *[|] *' -v lab="$lab" -v kind="$kind" '
            /^[0-9]/ { program = $1; ranks = $2 == "serial" ? 1 : $2 }
            $1 ~ "^ +" kind "$" {
                own = ranks; options = $3
                if (options ~ /^NP=/) {
                    own = substr(options, 4) + 0; sub(/^NP=[0-9]+ */, "", options)
                }
                printf "%s/%s|%d|%s|%s\n", lab, program, own, $2, options }' "$lab/parts.txt"
    done
}
core() { # lab
    rows "$1" | awk -F ' *[|] *' '$5 ~ /^core/ {
        sub(/,.*/, "", $5)
        count = split($5, word, / /)
        for (i = 2; i <= count; i++) print word[i]
        if (count == 1) print $1 + 0 }'
}

# The lines between "<!-- parts" and "<!-- end" are the table; the line after "## Part N", in
# italics, says what part N is.
tables() { # out, handout…
    local out=$1 handout lab; shift
    for handout; do
        lab=$(dirname "$handout")
        awk -F ' *[|] *' -v exercises="$(cd "$lab/check" 2>/dev/null && echo [0-9]*_check.c)" '
            function list(number,    name, i, n, text, own, count) {
                n = split(exercises, name, " ")
                for (i = 1; i <= n; i++)
                    if (name[i] ~ "^" number "[a-z_]")
                        own[++count] = "`" substr(name[i], 1, length(name[i]) - 8) "`"
                if (count > 3) return own[1] " … " own[count]
                for (i = 1; i <= count; i++) text = text (i > 1 ? " " : "") own[i]
                return text
            }
            FNR == 1 { file++ }
            file == 1 && /^[0-9]/ {
                n = $1 + 0
                if (n in line) next # a second program of the part
                kind = toupper(substr($5, 1, 1)) substr($5, 2)
                if (sub(/ /, ": ", kind)) kind = kind "; all of it"
                line[n] = sprintf("*%s, %d minutes, %s.*", kind, $3, $4)
                of = $5; minutes = $3
                if (match(of, /, [0-9]+ minutes$/)) {
                    minutes = substr(of, RSTART + 2) + 0 " of " $3
                    of = substr(of, 1, RSTART - 1)
                    sub(/ /, ": ", of)
                }
                row[++rows] = sprintf("| %d %s | %s | %s | %s | %s | %s |", n, of, $6, minutes, \
                    $4, $2 == "serial" ? 1 : $2, list(n))
            }
            file == 1 { next }
            /^<!-- parts/ {
                print; inside = 1
                print "| part | about | minutes | difficulty | ranks | you write |"
                print "|---|---|---|---|---|---|"
                for (i = 1; i <= rows; i++) print row[i]
            }
            /^<!-- end/ { inside = 0 }
            inside { next }
            /^## Part [0-9]/ {
                print; print ""; print line[substr($0, 9) + 0]; heading = 1; next
            }
            heading && /^(|\*(Core|Choice)[,:] .*\*)$/ { next }
            heading { print ""; heading = 0 }
            { print }' "$lab/parts.txt" "$handout" >"$out/$lab.md" || return
    done
}

action=${1-}; shift
case $action in
    run | choose | runs | core | tables) "$action" "$@" ;;
    *) echo "parts.sh $action: expected run, choose, runs, core or tables" >&2; exit 2 ;;
esac
