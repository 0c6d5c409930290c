#!/usr/bin/env bash
# Every command of make's that a README, a handout, 'make help', a program's --help or a message
# tells its reader to type. Of each: is the target there, has every variable a name and a value that
# make takes, does ONLY name something, and does the program have the options of ARGS? Those of the
# README run as printed, with the reference solutions and no window, until a second after their
# first line; with ALL=1 all others, too: a command must not have ended with an error by then. What
# is not run is named, with the reason.
# seconds: 1500
# sanitizers: no
# waits: yes
set -u
export HEADLESS=1 DEPS=no LC_ALL=C.UTF-8 LABS_STOP_SECONDS=20 # several stop at a time
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"; restore' EXIT
restore() { # what 'make lab1' opened last
    local lab
    for lab in lab1 lab2 lab3; do
        rm -f "$BUILD/$lab.part"
        [ ! -e "$work.$lab" ] || mv "$work.$lab" "$BUILD/$lab.part"
    done
}
for lab in lab1 lab2 lab3; do
    [ ! -e "$BUILD/$lab.part" ] || cp "$BUILD/$lab.part" "$work.$lab"
done

# FILE: COMMAND, for every command; "$1": a list of files. In Markdown an indented line or `code`;
# elsewhere what looks like one, with values in quotes or without blanks.
commands_in() {
    awk '
        function out(text) {
            sub(/ +#.*|    .*/, "", text); sub(/[ .,:;]+$/, "", text)
            print name ": " text
        }
        FNR == 1 { whole = "" }
        whole != "" { sub(/^ +/, ""); $0 = whole $0; whole = "" }
        /\\$/ && FILENAME ~ /md$/ {
            whole = substr($0, 1, length($0) - 1); sub(/ +$/, " ", whole); next
        }
        { name = FILENAME; line = $0; gsub(/\\"/, "\"", line) }
        name ~ /\.md$/ && /^    +make( |$)/ { sub(/^ +/, "", line); out(line); next }
        name ~ /\.md$/ {
            while (match(line, /`(HEADLESS=1 )?make( [^`]*)?`/)) {
                out(substr(line, RSTART + 1, RLENGTH - 2)); line = substr(line, RSTART + RLENGTH)
            }
            next
        }
        {
            while (match(line, /make [a-z][a-z0-9-]*( [A-Z_]+=("[^"]*"|[^] "`,;)>|\047]+))+/)) {
                out(substr(line, RSTART, RLENGTH)); line = substr(line, RSTART + RLENGTH)
            }
        }' "$@" | sed -E 's/^([^ ]*): HEADLESS=1 /\1: /'
}
mapfile -t pages < <(ls *.md common/*.md common/setup/*.md lab*_*/*.md assessment/*.md docs/*.md \
    datasets/*.md)
mapfile -t sources < <(find Makefile common lab*_* assessment datasets -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.sh' -o -name '*.txt' -o -name Makefile \) \
    ! -path '*/recorded/*')
commands_in "${pages[@]}" "${sources[@]}" | sort -u >"$work/all"

targets=" $(sed -n 's/^\([a-z][a-z0-9-]*\):.*/\1/p' Makefile make/*.mk | sort -u | xargs) "
variables=" $(grep -ohE '\b[A-Z][A-Z_]*\b' Makefile make/*.mk | sort -u | xargs) "
programs=$(printf '%s\n' lab*_*/[0-9]*.c assessment/train.c | sed 's/\.c$//')
checks=$(printf '%s\n' lab*_*/check/[0-9]*_check.c | sed 's/_check\.c$//')

failed=0 seen=0
wrong() { echo "wrong: $1: $2"; failed=$((failed + 1)); } # FILE: COMMAND, why

# What make would choose of these names: a number is whole.
named() { # word; the names on stdin
    local word=${1,,} name found=''
    while read -r name; do
        name=${name##*/}
        case $word in
            [0-9]*) [[ $name == "$word" || ( $name == "$word"* && ${name#"$word"} != [0-9]* ) ]] ;;
            *) [[ $name == *"$word"* ]] ;;
        esac && found+=" $name"
    done
    [ -n "$found" ] && echo "$found"
}
help_of() { # program: its options, one a line
    local file=$work/help.${1//\//.}
    [ -e "$file" ] || "$BUILD/sol/$1" --help 2>/dev/null </dev/null |
        grep -oE '^  --(\[no-\])?[a-z0-9-]+' | sed 's/^  --//; s/^\[no-\]\(.*\)/\1\nno-\1/' >"$file"
    cat "$file"
}
# Sets words to those of the command, without quotes. Nothing runs.
split() { # command
    words=()
    local rest=$1
    while [[ $rest =~ ^\ *([A-Z_]+=)\"([^\"]*)\"(.*)$ || $rest =~ ^\ *([A-Z_]+=)\'([^\']*)\'(.*)$ ||
        $rest =~ ^\ *([^\ ]+)()(.*)$ ]]; do
        words+=("${BASH_REMATCH[1]}${BASH_REMATCH[2]}") rest=${BASH_REMATCH[3]}
    done
}
# Is it possible? Sets target, and program where it runs one of a lab's.
look_at() { # file: command
    local word name value option args='' only='' of=''
    case $1 in *'$'*) return ;; esac # a blank to fill in
    split "${1#*: }"
    target='' program=''
    for word in "${words[@]:1}"; do
        case $word in
            [A-Z]*=*)
                name=${word%%=*} value=${word#*=}
                [[ $variables == *" $name "* ]] || wrong "$1" "$name is no variable of make's"
                case $name in ARGS) args=$value ;; ONLY) only=$value ;; LAB) of=$value ;; esac ;;
            *)
                target=$word
                [[ $targets == *" $word "* || $word == … ]] || wrong "$1" "'$word' is no target"
        esac
    done
    case $target in
        lab[123])
            [ -z "$only" ] || [ "$only" = all ] ||
                program=$(grep "^$target" <<<"$programs" | named "$only") ||
                wrong "$1" "no program has '$only' in its name" ;;
        check)
            [ -z "$only" ] || grep "^${of:-lab}" <<<"$checks" | named "$only" >/dev/null ||
                wrong "$1" "no check has '$only' in its name" ;;
        assessment) program=train ;;
    esac
    program=$(grep -m 1 "/${program##* }$" <<<"$programs")
    [ -n "$program" ] && [ -x "$BUILD/sol/$program" ] || return
    for option in $args; do
        case $option in
            --help | -h) ;;
            --*) option=${option%%=*}
                help_of "$program" | grep -qx -- "${option#--}" ||
                    wrong "$1" "${program##*/} has no option $option" ;;
        esac
    done
}
short() { # does what was printed fit a test?
    case $1 in
        *…* | *'$'* | *'{'* | *%* | *[A-Z]_PER_* | *FOLDER*) echo "has a blank to fill in" ;;
        *HOSTS=*) echo "needs other machines: hosts.sh" ;;
        *KILL=*) echo "lab2_faults.sh" ;;
        *_nccl*) echo "needs a GPU for each rank" ;;
        *DEVICE=cuda*) echo "needs a GPU" ;;
        *SUBMISSION=*.zip*) echo "needs a class's submissions: grade_class.sh" ;;
    esac
}

sed 's/^[^:]*: //' "$work/all" | sort -u >"$work/commands"
while IFS= read -r line; do
    look_at "$line"
    seen=$((seen + 1))
done <"$work/all"
echo "$seen commands in $(cut -d : -f 1 "$work/all" | sort -u | wc -l) files looked at"

# Of make check and make record one for each set of variables: their values are looked at above,
# and what the checks say is the labs' own tests' matter.
if [ -n "${ALL-}" ]; then
    awk '{ kind = $0 } /^make (check|record) / { gsub(/=[^ ]*/, "=", kind) }
        !(kind in seen) { seen[kind]; print }' "$work/commands" >"$work/run"
else grep '^README.md: ' "$work/all" | sed 's/^[^:]*: //' | sort -u >"$work/run"
fi
run_one() { # command
    local why status began=$SECONDS log wait stopped
    log=$(mktemp -p "$work") why=$(short "$1")
    [ -z "$why" ] || { echo "not run   $1: $why"; return 0; }
    case $1 in
        make | make\ help | make\ lab* | make\ check* | make\ assessment* | make\ show* | \
            make\ doctor*)
            # shellcheck disable=SC2086 # words
            COMMAND_LOG=$log timeout --signal=INT --kill-after=30 600 bash -c \
                "$1 BUILD=$BUILD SOL=1 $cuda" </dev/null >"$log" 2>&1 &
            # until a second after its first line
            while kill -0 $! 2>/dev/null && [ ! -s "$log" ]; do sleep 0.1; done
            for ((wait = 0; wait < 10; wait++)); do
                kill -0 $! 2>/dev/null || break
                sleep 0.1
            done
            stopped=; ! kill -INT $! 2>/dev/null || stopped=1
            wait $!; status=$?
            case $status$stopped in
                124*) echo "no line within 120 s" >>"$log" ;;
                137*) echo "not ended 30 s after Ctrl-C" >>"$log" ;;
                *1) status=0 ;;
            esac ;;
        *) # what takes minutes: does make accept it?
            bash -c "$1 -n BUILD=$BUILD $cuda" </dev/null >"$log" 2>&1; status=$? ;;
    esac
    # What was ended while it started may live a little longer than make.
    for ((wait = 0; wait < 1200; wait++)); do
        grep -qsxz "COMMAND_LOG=$log" /proc/[0-9]*/environ || break
        sleep 0.1
    done
    printf '%6d s  %s\n' $((SECONDS - began)) "$1"
    # What was ended says that it was.
    sed -i -E '/^error: (stopped|no stop within)/d' "$log"
    if [ $status != 0 ] || grep -q '^error' "$log"; then
        printf '%s\n' "wrong: $1: status $status" "$(tail -n 5 "$log" | sed 's/^/      /')"
        return 1
    fi
}
export -f run_one short; export work cuda=
[ -e "$BUILD/labs_gpu.so" ] || cuda=HAVE_CUDA= # as it was built: nothing is built twice
echo "$(wc -l <"$work/run") of them run"
unset LABS_BUILD MAKEFLAGS
tr '\n' '\0' <"$work/run" |
    xargs -0 -r -n 1 bash -c 'run_one "$1"' _ >"$work/ran" || # two of one program would be refused
    failed=$((failed + 1))
grep -v '^wrong\|^      ' "$work/ran"
grep '^wrong\|^      ' "$work/ran" # last: a long output is shown from its end
[ $failed = 0 ] && [ $seen -gt 100 ]
