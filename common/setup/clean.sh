#!/usr/bin/env bash
# clean.sh BUILD [again]: remove the build folder, if make created it (build_folder.sh); with
# `again` create it again, for the targets that follow.
set -eu
build=$1 again=${2-}
[ -e "$build" ] || exit 0
if [ ! -e "$build/.labs-build" ]; then
    echo "clean: make did not create the folder $build (no .labs-build in it): left as it is" >&2
    exit 2
fi
echo "rm -rf -- $build"
rm -rf -- "$build"
[ -z "$again" ] || exec "$(dirname "$0")/build_folder.sh" "$build"
