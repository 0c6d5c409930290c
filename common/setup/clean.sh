#!/usr/bin/env bash
# clean.sh BUILD MAKE [again]: remove the build folder if make created it, or empty it if it was
# given to make empty (build_folder.sh); with `again` create it again, for the targets that follow.
# MAKE is the process of make: it waits until no other one builds there.
set -eu
export LC_ALL=C
build=$1 make=$2 again=${3-} here=$(dirname "$0")
[ -e "$build" ] || exit 0
if [ ! -f "$build/.labs-build" ]; then
    echo "clean: make did not create the folder $build (no .labs-build in it): left as it is" >&2
    exit 2
fi
"$here/build_lock.sh" take "$build" "$make"
if grep -q 'make clean removes it' "$build/.labs-build"; then
    echo "rm -rf -- $build"
    rm -rf -- "$build"
else
    echo "find $build/ -mindepth 1 -delete"
    find "$build/" -mindepth 1 -delete
fi
[ -z "$again" ] || exec "$here/build_folder.sh" "$build" "$make"
