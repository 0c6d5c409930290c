#!/usr/bin/env bash
# compile_exercise.sh SOURCE OBJECT TARGET LIBRARIES COMPILER…: compile an exercise,
# exercises/1a_NAME.c, which defines the function NAME, or a program that a check judges, which
# defines main. An error in it must not stop the build of the other parts: if it does not
# compile or link, or lacks the function, the object gets one that ends its program with the first
# error. TARGET: the object's name in its dependency file. LIBRARIES: what the linker needs beside
# it.
#
# LABS_ONLY: what ONLY chooses; of other files nothing but that they do not compile is printed.
#
# Everything else that it defines (a helper main, die or malloc) stays local to the file.
set -u
export LC_ALL=C
source=$1 final=$2 object=${2%.o}.part.o target=$3 libraries=$4
shift 4
file=$(basename "$source" .c) name=${file#*_}
lab=$(dirname "$source")
case $lab in
    */exercises) lab=$(dirname "$lab") ;;
    *) name=main ;;
esac
compiler=("$@") depend=()
case " $* " in *' -MMD '*) depend=(-MF "${final%.o}.d" -MT "$target") ;; esac

# The compiler, a minute at most and within limits: a program may include /dev/zero.
compile() { # arguments…
    local limit=()
    if type -P timeout >/dev/null; then limit=(timeout --kill-after=5 60); fi
    (
        ulimit -t 120 -f 262144 # processor seconds; KiB of a file
        ulimit -v 4194304 2>/dev/null # KiB of memory
        exec "${limit[@]}" "${compiler[@]}" "$@"
    ) </dev/null >"$object.log" 2>&1
}
wanted() {
    local word
    for word in ${LABS_ONLY-}; do
        case $word in
            [0-9]*) case $file in "$word" | "$word"[!0-9]*) return ;; esac ;;
            *) case $file in *"$word"*) return ;; esac ;;
        esac
    done
    [ -z "${LABS_ONLY-}" ]
}
show() { ! wanted || head -c 65536 "$object.log" | head -n 200 >&2; }
first_of() { # expression: the first line of the log that matches, on one line
    grep -a -m 1 "$1" "$object.log" | tr -d '\000-\037' | cut -c 1-200
}

# Renamed (1B_update.c), or gone.
missing() {
    local other known
    for other in "${source%/*}"/*; do
        known=$(basename "$other" .c)
        [ ! -e "$lab/check/${known}_check.c" ] || continue
        case ${known,,} in *"${file#*_}"*)
            echo "$source: missing: is it now called ${other##*/}? Rename that file"
            return ;;
        esac
    done
    echo "$source: missing: restore it, in the folder of labs.tar.gz:" \
        "tar xzf labs.tar.gz labs/$source"
}
# Warnings that are nearly always a mistake of which the check would see only the numbers.
errors=(return-type implicit-function-declaration implicit-int incompatible-pointer-types
    int-conversion)
check_compile() {
    [ -e "$source" ] || { missing; return 1; }
    compile "${errors[@]/#/-Werror=}" "${depend[@]}" -fno-lto -c "$source" \
        -o "$object" # objcopy and nm below read machine code
    local status=$? error
    show
    [ $status != 0 ] || return 0
    error=$(first_of 'error:')
    case $status in 124 | 137) error='the compiler takes more than a minute' ;; esac
    case $error in
        *'control reaches end'* | *'not return a value'*)
            error="${error%%: error:*}: the function can end without return: every path through it,
                the last line included, must return a value" ;;
        *"'return' with no value"* | *'should return a value'*)
            error="${error%%: error:*}: this return has no value" ;;
        *'implicit declaration of function'* | *'undeclared function'*)
            error+=': is its name misspelt, or its #include missing?' ;;
    esac
    error=$(tr -s '\n ' '  ' <<<"$error")
    echo "it does not compile: ${error:-$(first_of .)}"
    return 1
}
check_name() {
    objcopy --keep-global-symbol="$name" "$object" 2>/dev/null
    nm "$object" | grep -Eq " T $name\$" ||
        { echo "$source: it does not define the function $name"; return 1; }
}
check_link() {
    # Each program links what it needs: here the other exercises' functions do nothing.
    local others='' other test=${object%.o}.link
    for other in "$lab"/check/[0-9]*_check.c; do
        other=$(basename "$other" _check.c)
        case $other in "$file" | '[0-9]*' | *_answers) continue ;; esac
        [ -e "$lab/$other.c" ] || others+="void ${other#*_}(void) {}"$'\n'
    done
    [ "$name" = main ] || others+="void $name(void); int main(void) { $name(); }"
    echo "$others" >"$test.c"
    local missing status=0
    # shellcheck disable=SC2086 # the libraries are words
    compile -w "$test.c" "$object" $libraries -o "$test" || status=1
    missing=$(sed -En "s/.*undefined (reference to|symbol:) [\`']?([A-Za-z0-9_]+).*/\2/p" \
        "$object.log" | head -n 1)
    rm -f "$test"* "${object%.o}.d"
    [ $status != 0 ] || return 0
    show
    if [ -n "$missing" ]; then echo "$source: it uses $missing, which is defined nowhere"
    else echo "it does not link: $(first_of 'definition\|duplicate\|error')"; fi
    return 1
}

if ! message=$(check_compile && check_name && check_link); then
    if wanted; then echo "$message" >&2
    else echo "$source: it does not compile" >&2; fi
    broken=${object%.o}.broken.c
    message=$(printf %s "$message" | tr -cd '[:print:]' | sed 's/[\\"]/\\&/g')
    cat >"$broken" <<END
#include "check.h"
int $name(void)
{
    UNFINISHED("$source", 0, "$source: ${message#"$source: "}");
    die(EXIT_WRONG, "%s", "$message");
}
END
    "${compiler[@]}" "${depend[@]}" -fno-lto -c "$broken" -o "$object" || exit
fi
mv "$object" "$final"
