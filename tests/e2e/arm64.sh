#!/usr/bin/env bash
# all: yes
# seconds: 900
# sanitizers: no
# Every C file compiles for 64-bit ARM, at -O3 as there: with Debian's cross compiler, where it is
# installed, and this machine's headers, which are the same for all processors.
set -u
cc=aarch64-linux-gnu-gcc
type -P $cc >/dev/null ||
    { echo "skipped: no $cc (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
read -ra libraries <<<"$(pkg-config --cflags-only-I cairo sdl2 libarchive jansson 2>/dev/null) $(
    mpicc --showme:compile 2>/dev/null || mpicc -show | grep -o -e ' -I[^ ]*' | xargs)"
multiarch=/usr/include/$(gcc -print-multiarch)
compile() { # file…
    local file lab status=0
    for file; do
        lab=${file%%/*}
        [ "$lab" != tests ] || lab='lab1_gd -Ilab2_ddp -Ilab3_scale'
        # shellcheck disable=SC2086 # words
        $cc -D_GNU_SOURCE -std=gnu11 -O3 -fopenmp -fno-math-errno -fno-optimize-sibling-calls \
            -Wall -Wextra -Wno-unused-parameter -Werror -DHAVE_CAIRO -DHAVE_SDL2 -Icommon \
            -DSDL_DISABLE_IMMINTRIN_H -I$lab -Itests/support "${libraries[@]/#-I/-idirafter}" \
            -idirafter /usr/include -idirafter "$multiarch" \
            -c "$file" -o "$work/$BASHPID.o" || status=1
    done
    return $status
}
files=$(find common lab?_* assessment tests/unit tests/support -name '*.c' |
    grep -vE '/cuda|_gpu|gpu_|nccl|fake_cuda' | sort)
half=$(($(wc -l <<<"$files") / 2))
mapfile -t files <<<"$files"
compile "${files[@]::half}" & first=$!
compile "${files[@]:half}"; second=$?
wait $first && [ $second = 0 ] || { echo "FAIL: not for ARM"; exit 1; }
echo "${#files[@]} files compile with $cc"
