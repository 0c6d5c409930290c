#!/usr/bin/env bash
# arm64.sh: lab 2's trainer compiles for 64-bit ARM, with Debian's cross compiler, where it is
# installed, and this machine's headers, which are the same for all processors. In qemu, with
# Debian's libraries for ARM, which apt-get fetches (28 MB), it trains on 1,000 images, without
# figures, to the losses that it has here. arm64.sh all (.ci/run): every file of the project
# compiles, figures too; no training.
# all: yes
# seconds: 900
# sanitizers: no
set -u
: "${BUILD:=build}"
cc=aarch64-linux-gnu-gcc
type -P $cc >/dev/null ||
    { echo "skipped: no $cc (Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross)"; exit 77; }
. tests/e2e/_work.sh
read -ra libraries <<<"$(pkg-config --cflags-only-I cairo sdl2 jansson 2>/dev/null) $(
    mpicc --showme:compile 2>/dev/null || mpicc -show | grep -o -e ' -I[^ ]*' | xargs)"
multiarch=/usr/include/$(gcc -print-multiarch)
compile() { # file…
    local file lab status=0
    for file; do
        lab=${file#"$BUILD/"} lab=${lab%%/*}
        [ "$lab" != tests ] || lab='lab1_gd -Ilab2_ddp -Ilab3_scale'
        # shellcheck disable=SC2086 # words
        $cc -D_GNU_SOURCE -std=gnu11 -Og -fopenmp -fno-math-errno \
            -fno-optimize-sibling-calls -Wall -Wextra -Wno-unused-parameter -Werror \
            $drawing -Icommon -I$lab -Itests/support "${libraries[@]/#-I/-idirafter}" \
            -idirafter /usr/include -idirafter "$multiarch" \
            -c "$file" -o "$work/${file//\//_}.o" || status=1
    done
    return $status
}
trainer=$BUILD/lab2_ddp/solution/3_train.c
rooms=(common lab2_ddp/[a-z]*/ "$trainer")
drawing=''
if [ "${1-}" = all ]; then
    rooms=(common lab?_* assessment tests/unit tests/support "$trainer")
    drawing='-DHAVE_CAIRO -DHAVE_SDL2 -DSDL_DISABLE_IMMINTRIN_H'
    make "$trainer" || exit
fi
mapfile -t files < <(find "${rooms[@]}" -name '*.c' |
    grep -vE '/cuda|_gpu\.c|nccl|fake_cuda' |
    if [ "${1-}" = all ]; then cat; else grep -vE '/exercises/|/check/|/solution/[^3]'; fi | sort)
half=$((${#files[@]} / 2))
compile "${files[@]::half}" & first=$!
compile "${files[@]:half}"; second=$?
wait $first && [ $second = 0 ] || { echo "FAIL: not for ARM"; exit 1; }
echo "${#files[@]} files compile with $cc"
[ "${1-}" != all ] || exit 0

root=$work/root
fetch() { # apt-get beside the system's own: its lists and packages are in $work
    local apt=$work/apt options name names
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$root"
    : >"$apt/status"
    options=(-qq -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$apt"
        -o "Dir::State::Lists=$apt/lists" -o "Dir::State::status=$apt/status"
        -o "Dir::Cache=$apt/cache" -o APT::Install-Recommends=false -o Debug::NoLocking=1
        -o "APT::Sandbox::User=$(id -un)")
    # Of the libraries only what is loaded: their -dev packages bring a compiler.
    mapfile -t names < <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 'libopenmpi[0-9]*' \
        'libjansson[0-9]*' 'libssl[0-9]*' | sed -n 's/^installed //p')
    apt-get "${options[@]}" update && apt-get "${options[@]}" --download-only install \
        "${names[@]}" libopenblas0-pthread libgomp1 || return
    for name in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$name" "$root" || return; done
}
type -P qemu-aarch64 >/dev/null || { echo "skipped: no qemu-aarch64"; exit 77; }
fetch >"$work/log" 2>&1 ||
    { echo "skipped: no libraries for ARM: $(tail -n 1 "$work/log")"; exit 77; }
lib=/usr/lib/aarch64-linux-gnu
path=$lib/openmpi/lib:$lib/openblas-pthread:$lib
found() { find "$root/usr/lib" "$root/lib" -name "$1" 2>/dev/null | sort | head -n 1; }
mapfile -t objects < <(find "$work" -name 'common_*.o' -o -name 'lab2_ddp_[a-z]*.o' |
    grep -vE '_exercises_|_check_[0-9]|_solution_[0-9]_')
ar rcs "$work/all.a" "${objects[@]}"
libraries=()
for name in mpi openblas jansson z crypto; do libraries+=("$(found "lib$name.so.*")"); done
$cc --sysroot="$root" -fopenmp "$work/${trainer//\//_}.o" "$work/all.a" \
    "${libraries[@]}" -lm \
    -Wl,--allow-shlib-undefined -Wl,-rpath-link,"$root$lib" -o "$work/3_train" ||
    { echo "FAIL: does not link"; exit 1; }
training="--model mlp --hidden 64 --threads 1 --batch 50 --images 1000 --test-images 100 --epochs 1"
training+=" --data synthetic"
# shellcheck disable=SC2086 # words
HEADLESS=1 qemu-aarch64 -L "$root" -E LD_LIBRARY_PATH="$path" "$work/3_train" $training \
    --out "$work/arm" >"$work/log" 2>&1
status=$?
tail -n 12 "$work/log"
[ $status = 0 ] || { echo "FAIL: exit status $status"; exit 1; }
# shellcheck disable=SC2086 # words
HEADLESS=1 "$BUILD/sol/lab2_ddp/3_train" $training --out "$work/here" >"$work/log" 2>&1
paste -d , "$work"/{arm,here}/lab2_train/metrics.csv | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /loss/) at[$i, ++n[$i]] = i }
    NR > 1 { for (name in n) { a = $at[name, 1]; b = $at[name, 2]; d = a / b - 1
            print name ": " a ", here " b; losses++
            if (!(a > 0) || d > 2e-5 || d < -2e-5) wrong = 1 } }
    END { exit wrong || losses != 2 }' || { echo "FAIL: other losses than here"; exit 1; }
