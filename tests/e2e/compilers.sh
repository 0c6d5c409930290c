#!/usr/bin/env bash
# all: yes
# seconds: 900
# sanitizers: no
# ranks: 0
# The compilers and flags of common/README.md's table that no other test uses: a reference exercise
# passes its check, the stub is still to do, and nothing warns. The library compiles with musl's
# headers.
set -u
. tests/e2e/_work.sh
unset BUILD CC CFLAGS SAN WERROR COVERAGE
export DEPS=no
rows=0
row() { # name, variable=value…: for make
    local name=$1
    shift
    if ! make check LAB=lab1 ONLY=1a SOL=1 HAVE_CUDA= BUILD="$work/build" "$@" >"$work/out" 2>&1 ||
        ! grep -q '^PASS  1a_gradient ' "$work/out"; then
        wrong "$name: the reference does not pass"
    elif make check LAB=lab1 ONLY=1a HAVE_CUDA= BUILD="$work/build" "$@" >>"$work/out" 2>&1
        ! grep -q '^TODO  1a_gradient ' "$work/out"; then
        wrong "$name: the stub is not TODO"
    elif grep -A 5 'warning: ' "$work/out"; then wrong "$name: warnings, see above"
    else echo "ok: $name"
    fi
    rows=$((rows + 1))
    rm -rf "$work/build"
}
if type -P clang >/dev/null; then row "$(clang --version | head -n 1)" CC=clang CFLAGS=-O0; fi
for version in 11 12 13 14 15; do
    ! type -P gcc-$version >/dev/null || [ "$(gcc -dumpversion)" = $version ] ||
        row "gcc-$version" CC=gcc-$version CFLAGS=-O1
done

# musl's headers, with no other C library's before them.
musl=$(find /usr/include/*-linux-musl -maxdepth 0 2>/dev/null | head -n 1)
if [ -z "$musl" ] && (cd "$work" && apt-get download musl-dev >/dev/null 2>&1 &&
    dpkg-deb -x musl-dev_*.deb .); then
    musl=$(find "$work"/usr/include/*-linux-musl -maxdepth 0)
fi
if [ -n "$musl" ]; then
    read -ra libraries <<<"$(pkg-config --cflags-only-I cairo sdl2 jansson | xargs) $(
        mpicc --showme:compile | xargs)"
    flags=(-D_GNU_SOURCE -std=gnu11 -fsyntax-only -fopenmp -march=native -DHAVE_CAIRO -DHAVE_SDL2
        -Wall -Wextra -Wno-unused-parameter -Werror -Icommon -nostdinc
        -isystem "$(gcc -print-file-name=include)" -isystem "$musl" "${libraries[@]/#-I/-idirafter}"
        -idirafter /usr/include -idirafter "/usr/include/$(gcc -print-multiarch)")
    if find common -name '*.c' | grep -vE '/cuda|nccl' | xargs gcc "${flags[@]}" 2>"$work/out"; then
        echo "ok: musl's headers"
    else
        wrong "musl's headers"
    fi
else echo "musl's headers: not here (Debian: musl-dev)"
fi
[ $rows -ge 1 ] || [ -n "$musl" ] || { echo "skipped: no other compiler here"; exit 77; }
exit $failed
