#!/usr/bin/env bash
# clean.sh BUILD: remove the folder of built files, if a build made it (build_folder.sh).
set -eu
build=$1
[ -e "$build" ] || exit 0
[ -e "$build/.made-by-make" ] || {
    echo "clean: $build was there before the first build, or is none: remove it yourself" >&2
    exit 2
}
echo "rm -rf -- $build"
rm -rf -- "$build"
