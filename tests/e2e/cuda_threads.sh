#!/usr/bin/env bash
# ranks: 0
# seconds: 1800
# all: yes
# sanitizers: no
# The CUDA kernels with a thread of the host for each thread of a block, under the thread sanitizer:
# no thread reads what another writes in the same phase. And it would be seen: a kernel without its
# barrier is a race. Blocks and shapes are made small, so that this takes half a minute.
set -u
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
tools=$BUILD/cuda_on_host
[ -x "$tools/link" ] || { echo "skipped: no C++ compiler or objcopy"; exit 77; }
export EMULATED=yes EXTRA="-fsanitize=thread -O0 -DHOST_THREADS"
# The emulation multiplies matrices with OpenBLAS, whose threads the sanitizer does not know.
export OPENBLAS_NUM_THREADS=1
# ThreadSanitizer does not know every layout of memory that a kernel draws.
fixed=$(type -P setarch) && fixed="$fixed -R"
failed=0
wrong() { echo "wrong: $*"; failed=1; }

sources() { # folder: a copy of the backend with small blocks
    mkdir "$1"
    cp common/backend/cuda/*.[ch] common/backend/cuda/*.cu "$1"
    rm "$1/gpu_library.c"
    sed -i -E 's/\b(BLOCK) = 256,/\1 = 32,/; s/\b(WIDE_BLOCK) = 512,/\1 = 64,/
        s/\b(NORM_BLOCK) = 256,/\1 = 32,/; s/\b(STRIP_ACCESSES) = 8,/\1 = 2,/
        s/\b(STRIP_CHANNELS) = 128,/\1 = 32,/' "$1/cuda_plan.h"
}
objects() { # folder sources…
    # shellcheck disable=SC2016 # the shell that it is for expands it
    printf '%s\n' "${@:2}" | xargs -P "$(nproc)" -I {} sh -c \
        'name=${3##*/}; exec "$1" "$3" "$2/${name%.*}.o"' _ "$tools/compile" "$1" {} ||
        { echo "it does not compile"; exit 1; }
}
races() { # program case: prints how many; fails where the case does
    # shellcheck disable=SC2086 # two words
    TSAN_OPTIONS="exitcode=66 report_signal_unsafe=0" timeout --kill-after=5 600 $fixed "$1" "$2" \
        >"$work/log" 2>&1
    status=$?
    grep -c 'WARNING: ThreadSanitizer: data race' "$work/log"
    [ $status = 0 ] || [ $status = 66 ]
}

sources "$work/right"
objects "$work/right" "$work"/right/*.c "$work"/right/*.cu tests/support/cuda_on_host/*.cpp
try() { # test cases…
    "$tools/link" "$work/right" "$1" "$work/$1" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
    local case count
    for case in "${@:2}"; do
        count=$(races "$work/$1" "cuda_on_host.$case") || { wrong "$1 $case"; cat "$work/log"; }
        echo "$1 $case: $count races"
        [ "$count" = 0 ] || { wrong "$1 $case: a race"; grep -m 1 -A 12 'data race' "$work/log"; }
    done
}
try test_batchnorm ranks_add_sums constant_channel
try test_layers cross_entropy dense activations layernorm
try test_vectors dot_is_exact loss_scale
try test_muon singular_values
try test_conv packed_filters

# Without its barrier.
cp -r "$work/right" "$work/wrong"
sed -i -zE 's/(THEN|LAST)/FIRST/g' "$work/wrong/cuda_dense.cu"
objects "$work/wrong" "$work/wrong/cuda_dense.cu"
"$tools/link" "$work/wrong" test_layers "$work/wrong/test" || exit 1
count=$(races "$work/wrong/test" cuda_on_host.dense)
echo "cuda_dense.cu without barriers: $count races"
[ "$count" -gt 0 ] || wrong "a missing barrier is not seen"
exit $failed
