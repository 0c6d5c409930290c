#!/usr/bin/env bash
# `make clean` removes the folder that make itself made, and nothing else, without probing: neither
# the project, nor somebody's folder that BUILD names by mistake.
# seconds: 120
# sanitizers: no
# ranks: 0
set -eu
work=$(mktemp -d)
wrong() { echo "wrong: $*"; exit 1; }

mkdir -p "$work/project/data" "$work/project/common"
cp -r Makefile make "$work/project/"; cp -r common/setup "$work/project/common/"
touch "$work/project/data/images" "$work/project/mine.c"
cd "$work/project"
unset BUILD
export DEPS=no
before=$(find . | sort)
make clean || wrong "with nothing to clean, make clean fails"

make build/config.mk || true # whatever is missing here: the folder is made
[ -d build ] || wrong "make makes no folder"
mkdir build/out; touch build/out/figure.png
make clean
[ "$(find . | sort)" = "$before" ] || wrong "something else has changed: $(find .)"
make clean || wrong "a second make clean fails"

refused() { # BUILD=…
    local status=0
    make --no-print-directory clean "$@" 2>"$work/err" || status=$?
    [ $status = 2 ] || wrong "make clean $*: status $status, expected 2"
    grep '^clean: make did not create' "$work/err" ||
        wrong "make clean $*: no reason: $(cat "$work/err")"
    [ -e mine.c ] || wrong "make clean $* removed the project"
}
refused BUILD=.
refused BUILD=../project
refused BUILD="$work/project"
mkdir "$work/theirs"; touch "$work/theirs/thesis"
refused BUILD="$work/theirs"
make doctor BUILD="$work/theirs" >"$work/log" 2>&1 || true # building in it does not make it ours
[ -e "$work/theirs/doctor" ] || wrong "make doctor did nothing: $(cat "$work/log")"
refused BUILD="$work/theirs"
[ -e "$work/theirs/thesis" ] || wrong "somebody's file is gone"

# An empty folder that is given to make is emptied; one that is built anew after a clean is make's.
mkdir "$work/given"
make doctor BUILD="$work/given" >"$work/log" 2>&1 || true
make clean BUILD="$work/given"
[ -z "$(ls -A "$work/given")" ] || wrong "a folder that was given to make is not empty"
[ -d "$work/given" ] || wrong "a folder that was given to make is gone"
make clean build/flags >"$work/log" 2>&1 || true
make clean # a refusal ends the test
[ ! -e build ] || wrong "what was built after a clean is still there"
