#!/usr/bin/env bash
# `make clean` removes the build folder and nothing else, without probing; and never the project itself.
# seconds: 60
# sanitizers: no
# ranks: 0
set -eu
work=$(mktemp -d)
wrong() { echo "wrong: $*"; exit 1; }

mkdir -p "$work/project/data" "$work/project/build/out" "$work/project/common"
cp Makefile "$work/project/"; cp -r common/setup "$work/project/common/"
touch "$work/project/data/images" "$work/project/build/out/picture.png" "$work/project/mine.c"
cd "$work/project"
unset BUILD
before=$(find . -not -path './build*' | sort)
make clean
[ ! -e build ] || wrong "build/ is still there"
[ "$(find . | sort)" = "$before" ] || wrong "something else has changed"
make clean || wrong "a second make clean fails"
for folder in . ../project; do
    if make clean BUILD=$folder 2>&1; then wrong "make clean BUILD=$folder is accepted"; fi
    [ -e mine.c ] || wrong "make clean BUILD=$folder removed the project"
done
