#!/usr/bin/env bash
# lint.sh [--format | FILE…]: what no compiler reports: shellcheck over all scripts, cppcheck over
# all C sources and FILEs, their layout, lines over 100 columns, the arrows between rooms, words
# that are not the field's (words.txt), tables of handouts that differ from the labs' parts.txt, and
# files of check/ with an exercise's name. Any finding fails. --format: only lay the sources out
# again, and write those tables and the answers'.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 2
built=()
[ "${1-}" = --format ] || built=("$@")
files() {
    find . \( -path ./build -o -path ./data -o -path ./.git \) -prune -o -type f "$@" -print | sort
}
sources() {
    files \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cpp' \)
    printf '%s\n' "${built[@]}"
}
programs() { sources; scripts; files \( -name '*.py' -o -name '*.mk' -o -name Makefile \); }
scripts() { files \( -name '*.sh' -o -path './.ci/run' \); }

formatter() { # the version decides where lines break
    local name
    for name in clang-format-14 clang-format; do
        if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then echo "$name"; return; fi
    done
}
format=$(formatter)
if [ "${1-}" = --format ]; then
    [ -n "$format" ] || { echo "format: clang-format 14 is not installed" >&2; exit 2; }
    sources | xargs "$format" -i
    tables=$(mktemp -d)
    common/setup/parts.sh tables "$tables" lab*_*/HANDOUT.md || exit
    for lab in "$tables"/*.md; do cat "$lab" >"$(basename "$lab" .md)/HANDOUT.md"; done
    rm -r "$tables"
    common/setup/answers.py . 0
    exit
fi

failed=0
check() { # title, command…: the command prints its findings
    local title=$1
    shift
    "$@" || { echo "lint: $title: see above"; failed=1; }
}
layout() {
    if [ -n "$format" ]; then
        sources | xargs "$format" --style=file:.clang-format --dry-run --Werror
    else echo "lint: layout skipped: clang-format 14 is not installed"; fi
}
none() { # the output of a search: fails if there is any, an error of grep's included
    [ -z "$1" ] || { echo "$1"; return 1; }
}
too_wide() { # tables of handouts may be wider
    none "$(programs | LC_ALL=C.UTF-8 xargs grep -nE '^.{101}' 2>&1)"
}
other_words() {
    sed '/^#/d; s/ *| .*//' tests/tools/words.txt >"$words"
    none "$({ programs; files -name '*.md'; } | xargs grep -niwEf "$words" 2>&1)"
}
same_names() { # as a file in check/, elsewhere in the lab
    none "$(for file in lab*_*/check/*.[ch]; do
        find "${file%%/*}" -name "${file##*/}" ! -path "$file"; done)"
}
work=$(mktemp -d) words=$work/words
trap 'rm -r "$work"' EXIT
# A row for each program, and what the handouts say of it.
parts() {
    local lab wrong=0
    common/setup/parts.sh tables "$work" lab*_*/HANDOUT.md || return
    for lab in lab*_*; do
        diff "$lab/HANDOUT.md" "$work/$lab.md" || wrong=1
        diff <(cd "$lab" && ls [0-9]*.c | sed 's/\.c$//' | sort) \
            <(sed -n 's/^\([0-9][^ ]*\).*/\1/p' "$lab/parts.txt" | sort) || wrong=1
    done
    [ $wrong = 0 ] || { echo "make format brings the handouts up to date"; return 1; }
}

# Suppressed: wrong guesses of cppcheck about loops and calls that fill a struct (the compilers and
# sanitizers check that as well), a failed realloc (it ends the run), a sum that cannot be 0, what
# is only found with JOBS=1 (a pointer that is NULL on all ranks but the first).
suppressed=(--suppress=missingIncludeSystem --suppress=uninitvar --suppress=uninitStructMember
    --suppress=memleakOnRealloc --suppress=ctunullpointer
    --suppress=invalidFunctionArg:tests/support/reference.c)
includes=(-Icommon -Ilab1_gd -Ilab2_ddp -Itests/support)
cpp() {
    sources | grep '\.c$' | xargs cppcheck --quiet --std=c11 --enable=warning --inline-suppr \
        --error-exitcode=1 -j "${JOBS:-2}" --library=tests/tools/cppcheck.cfg "${suppressed[@]}" \
        -D_GNU_SOURCE "${includes[@]}"
}
shell() { scripts | xargs shellcheck -x -S warning; }

check shellcheck shell
check cppcheck cpp
check layout layout
check "lines over 100 columns" too_wide
check "arrows between rooms" tests/tools/arrows.sh
check "parts.txt and the handouts" parts
check "files with the name of one in check/" same_names
check "words that are not the field's (tests/tools/words.txt)" other_words
[ $failed = 0 ] && echo "lint: nothing found"
exit $failed
