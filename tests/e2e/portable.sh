#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# all: yes
# A program built for this processor, on an older one: one line, exit 2. With PORTABLE=1, the
# kernels of each vector width compute what the reference does, on the processors that they are for.
# That build also does without Cairo and CUDA: benchmarks link, tests of figures link and skip.
set -u
[ "$(uname -m)" = x86_64 ] || { echo "skipped: not an x86-64 machine"; exit 77; }
command -v qemu-x86_64 >/dev/null || { echo "skipped: no qemu-x86_64"; exit 77; }
. tests/e2e/_work.sh

if grep -qw avx2 /proc/cpuinfo; then # else this processor is as old
    qemu-x86_64 -cpu Nehalem "$BUILD/tests/test_conv" --list >"$work/out" 2>"$work/err"; status=$?
    cat "$work/err"
    [ $status = 2 ] || wrong "on an older processor: exit status $status, expected 2"
    grep -qE \
        "^error: this program was built for a processor with [a-z0-9.]+, which this one lacks" \
        "$work/err" || wrong "no such line"
    [ ! -s "$work/out" ] || wrong "it began to compute"
fi

tests=$work/build/portable/tests
make --no-print-directory CFLAGS="-O1 -march=x86-64" PORTABLE=1 BUILD="$work/build" \
    HAVE_CAIRO= HAVE_CUDA= HAVE_CPLUSPLUS= "$tests"/test_conv \
    "$tests"/test_plot_{axis,figure,shapes,surface} \
    "$tests"/bench/{bench,bench_gpu,train_rate} >"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
for test in "$tests"/test_plot_*[a-z]; do
    for case in $("$test" --list | cut -d ' ' -f 1); do
        "$test" "$case" >"$work/out" 2>&1; status=$?
        [ $status = 0 ] || [ $status = 77 ] || { cat "$work/out"; wrong "$case without Cairo"; }
    done
done
echo 0.01 | "$tests/bench/train_rate" --batch 8 --layers >"$work/out" 2>&1 &&
    grep -q '^convolution,' "$work/out" || { cat "$work/out"; wrong "train_rate"; }
program=$tests/test_conv
cpus=(this Nehalem) # and Haswell, unless this one's vectors are as wide
grep -w avx2 /proc/cpuinfo | grep -qvw avx512f || cpus+=(Haswell)
for cpu in "${cpus[@]}"; do
    run=(env EMULATED=yes OPENBLAS_CORETYPE="$cpu" qemu-x86_64 -cpu "$cpu")
    [ "$cpu" != this ] || run=()
    for case in forward backward_data backward_weight; do
        "${run[@]}" "$program" "cpu.$case" >"$work/out" 2>&1 ||
            { cat "$work/out"; wrong "$case on $cpu"; }
    done
    echo "portable, on $cpu: forward, data, weights"
done
exit $failed
