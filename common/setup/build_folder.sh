#!/usr/bin/env bash
# build_folder.sh BUILD [MAKE]: before a build: create its folder, take its lock for the process
# MAKE (build_lock.sh), and mark the folder as one that 'make clean' may remove (if it already
# existed, but empty, as one that it may empty; with other files, not at all). Then touch sources
# whose contents changed since the last build although something built is newer (an exercise from a
# backup, a tarball unpacked over a finished tree), so that make rebuilds them.
set -euo pipefail # an interrupted list of sources must not look complete
export LC_ALL=C
build=$1 make=${2-} mark=$1/.labs-build seen=$1/sources.sum
list=$seen.$$
mkdir -p -- "$(dirname -- "$build")"
while true; do # another make may clean it meanwhile
    if mkdir -- "$build" 2>/dev/null; then
        echo "make created this folder: make clean removes it" >"$mark"
    fi
    [ -d "$build" ] || mkdir -- "$build" # to print why not
    [ -n "$make" ] || break
    status=0; "$(dirname "$0")/build_lock.sh" take "$build" "$make" || status=$?
    [ $status = 3 ] || break
done
[ "${status-0}" = 0 ] || exit "$status"
if [ ! -e "$mark" ] &&
    [ -z "$(find "$build/" -mindepth 1 ! -name '.making*' | head -n 1)" ]; then
    # not where the make that created it is just about to say so
    (set -C; echo "this folder was given to make empty: make clean empties it" >"$mark") \
        2>/dev/null || true
fi

# What a full disk or a crash left empty counts as built.
[ ! -e "$mark" ] || find "$build/" -type f -size 0 \( -name '*.o' -o -name '*.a' \) -delete
trap 'rm -f "$list"' EXIT
shopt -s nullglob
rooms=(common* lab*_* assessment* tests*) # a check of make's alone may lack some
find "${rooms[@]}" -type f \( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cpp' \) \
    -exec cksum {} + | sort >"$list"
names() { cut -d ' ' -f 3- "$1" | sort; }
if [ -e "$seen" ]; then
    # a dependency file would name a source that is gone (renamed, say from .c to .cpp)
    comm -23 <(names "$seen") <(names "$list") | while read -r file; do
        rm -f "$build"/{,*/}"${file%.*}".{o,d}
    done
    comm -13 "$seen" "$list" | while read -r _ _ file; do
        [ -z "$(find "$build" -name '*.o' -newermt "$(date -r "$file" '+%F %T')" |
            head -n 1)" ] ||
            touch -c "$file" 2>/dev/null || rm -f "$build"/{,*/}"${file%.*}.o"
    done
fi
mv "$list" "$seen"
