#!/usr/bin/env bash
# ranks: 0
# seconds: 900
# all: yes
# sanitizers: no
# The kernels as nvcc compiles them, without a GPU.
#
# For an H100 (ALL=1: and an A100): no registers spilled, no stack, except in attention's, where a
# thread holds a row of up to 128 channels and spills from 64 on; and in those that are written for
# it, loads and stores of 16 bytes (cuobjdump, a part of CUDA, shows them), so many that a thread
# has several in flight at once. And F16 is converted by the GPU's own instructions.
#
# Executed: the H100's PTX, by an interpreter (tests/support/ptx/ptx.h), started by nvcc's own stubs
# over the emulated streams, cuBLAS and cuDNN, computes what the unit tests expect, without a
# misaligned or stray access, a race, or a barrier that not all threads reach; and mistakes planted
# in the PTX are found. ALL=1: more cases.
set -u
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
# kernel, template arguments behind the access, its 16-byte loads and stores, at least
HOT="image_moments - 5 0
    bn_forward Lb0 4 4
    bn_forward Lb1 8 4
    bn_backward_sums Li0 8 0
    bn_backward_sums Li1 12 0
    bn_backward_sums Li2 8 0
    bn_backward Li0ELb0 8 4
    bn_backward Li1ELb0 12 4
    bn_backward Li2ELb0 8 4
    bn_backward Li2ELb1 12 4
    axpy - 2 1
    act_forward - 1 1
    act_backward - 2 1
    maxpool_forward - 2 1
    maxpool_backward - 1 1
    avgpool_backward - 0 1"
ELEMENTS="f 6Bfloat 6__half" # as they are in a kernel's name
MOST=128 # registers: two blocks of 256 threads fit a multiprocessor
type -P nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
. tests/e2e/_work.sh

registers() { # architecture
    local kernels spilled used attention='attention_forward|query_gradients|key_gradients'
    sed -i -E "/Compiling entry function .*($attention)/,/Used /d" "$work/log"
    kernels=$(grep -c 'Compiling entry function' "$work/log")
    [ "$kernels" -ge 60 ] || wrong "$kernels kernels compiled, expected 60 or more"
    spilled=$(awk '/Function properties for/ { name = $NF } /bytes stack frame/ &&
        !/^ *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads/ {
            print name ": " $0 }' "$work/log")
    [ -z "$spilled" ] || wrong "stack or spills: $spilled"
    grep -q '0 bytes spill stores' "$work/log" || wrong "ptxas says nothing of spills"
    used=$(grep -o 'Used [0-9]* registers' "$work/log" | awk '$2 > most { most = $2 }
        END { print most + 0 }')
    [ "$used" -le $MOST ] || wrong "a kernel uses $used registers, expected at most $MOST"
    echo "sm_$1: $kernels kernels, at most $used registers"
}

accesses() { # kernel, LDG or STG
    awk -v name="$1" -v what="$2" '/Function :/ { on = index($0, name) }
        on && $0 ~ what "\\.E[.A-Z]*\\.128"' "$work/sass" | wc -l
}

wide() { # kernel, loads and stores
    local loads stores
    loads=$(accesses "$1" LDG) stores=$(accesses "$1" STG)
    [ "$loads" -ge "$2" ] && [ "$stores" -ge "$3" ] ||
        wrong "$1: $loads loads and $stores stores of 16 bytes, expected $2 and $3"
    echo "$1: 16-byte loads $loads, stores $stores"
}
copied() { # kernel, and of how many instances each copies by 16 bytes without registers
    local count
    count=$(awk -v name="$1" '/Function :/ { on = index($0, name); seen = 0 }
        on && /LDGSTS\.E[.A-Z]*\.128/ && !seen { seen = 1; n++ } END { print n + 0 }' "$work/sass")
    [ "$count" -ge "$2" ] || wrong "$count instances of $1 copy 16 bytes at a time, expected $2"
    echo "$1: $count instances copy 16 bytes at a time"
}
all_wide() {
    local kernel arguments loads stores element
    while read -r kernel arguments loads stores; do
        for element in $ELEMENTS; do
            wide "${kernel}I4WideI${element}E${arguments#-}" "$loads" "$stores"
        done
    done < <(xargs -n 4 <<<"$HOT")
    wide pad_channelsI4WideI6BfloatE 0 1
    wide pad_channelsI4WideI6__halfE 0 1
    copied conv_tileI 8
    copied conv_tile_weightsI 8
}

compile() { # architecture, nvcc's arguments…
    nvcc "${@:2}" -arch="sm_$1" -O3 -std=c++17 -Icommon -Icommon/backend/cuda "$work/all.cu" \
        >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

converts() { # instruction: how often, in batch norm's forward pass
    awk -v what="$1" '/\.entry/ { on = index($0, "bn_forwardI4WideI6__halfELb0") }
        on && index($0, what)' "$work/all.ptx" | wc -l
}

for source in common/backend/cuda/*.cu; do echo "#include \"$PWD/$source\""; done >"$work/all.cu"
for arch in ${ALL:+80} 90; do
    compile $arch -c -Xptxas -v -Xcompiler -fPIC --keep --keep-dir "$work" -o "$work/kernels.o"
    registers $arch
    if ! type -P cuobjdump >/dev/null; then
        echo "16-byte accesses not checked: no cuobjdump"
    else
        cuobjdump --dump-sass "$work/kernels.o" >"$work/sass" 2>&1 || { cat "$work/sass"; exit 1; }
        all_wide
    fi
done
for instruction in cvt.f32.f16 cvt.rn.f16.f32; do
    count=$(converts $instruction)
    [ "$count" -ge 8 ] || wrong "$instruction: $count, expected 8 or more"
    echo "$instruction: $count"
done

# ---- executed ----
tools=$BUILD/cuda_on_host
[ -x "$tools/link" ] || { echo "not executed: no C++ compiler or objcopy"; exit $failed; }
export PTX=$work/all.ptx EMULATED=yes EXTRA=-O1
mkdir "$work/parts" "$work/machine"
# In place of each kernel file's object an empty one, and of one of them all kernels and the
# interpreter.
echo >"$work/nothing.c"
"$tools/compile" "$work/nothing.c" "$work/nothing.o" || exit 1
for source in common/backend/cuda/*.cu; do
    source=${source##*/}
    cp "$work/nothing.o" "$work/parts/${source%.cu}.o"
done
for source in read run memory table launch test; do
    echo "tests/support/ptx/ptx_$source.cpp $work/machine/$source.o"
done | xargs -P "$(nproc)" -L 1 "$tools/compile" || exit 1
interpreter=("$work"/machine/{read,run,memory,table}.o)
"${CXX:-g++}" "$work/machine/test.o" "${interpreter[@]}" -o "$work/alone" && "$work/alone" ||
    wrong "the interpreter by itself"
ld -r "$work/kernels.o" "${interpreter[@]}" "$work/machine/launch.o" -o "$work/parts/cuda_vector.o"

run() { # program case
    [ -x "$work/$1" ] || "$tools/link" "$work/parts" "$1" "$work/$1" >"$work/log" 2>&1 ||
        fail "$1 is not linked"
    timeout --kill-after=5 300 "$work/$1" "$2" >"$work/log" 2>&1
}
passes() { # program case…
    local case
    for case in "${@:2}"; do
        run "$1" "$case" || wrong "$1 $case, by the H100's PTX"
        echo "$1 $case: $SECONDS s"
    done
}
every() { # program: of its cases those that differ by more than a seed
    run "$1" --list
    # shellcheck disable=SC2046 # words
    passes "$1" $(awk '$1 ~ /^cuda_on_host[.]/ && $1 !~ /[.][0-9]+$/ && $1 !~ /torch|large/ {
        print $1 }' "$work/log")
}
if [ -n "${ALL-}" ]; then
    for program in vectors layers batchnorm conv loader muon method; do every test_$program; done
    passes test_cuda_gpu cudnn_on_host.{bf16,fp16} # training steps of ResNet-8
    unset EMULATED # with heads of 64 and 128 channels, and in 16 bits
    passes test_layers cuda_on_host.{attention,activations}
    export EMULATED=yes
else
    passes test_vectors cuda_on_host.{axpy_shaped,axpy_ends,dot_is_exact,loss_scale}
    passes test_layers cuda_on_host.{dense,cross_entropy,layernorm,attention_is_causal,avgpool}
    passes test_batchnorm cuda_on_host.{ranks_add_sums,constant_channel}
    passes test_conv cuda_on_host.{packed_filters,forward}
    passes test_loader cuda_on_host.plain
fi
PTX_COUNTS=1 passes test_cuda_edges all_by_cudnn few_channels
echo "few_channels, two steps of ResNet-8; most instructions first:"
grep ' launches, ' "$work/log" | sort -t, -k 3 -nr | head -n 12 | c++filt

planted() { # kernel, pattern in its PTX, what takes the first match's place, program, case, finding
    awk -v kernel="$1" -v pattern="$2" -v new="$3" '
        /[.]entry/ { on = index($0, kernel); left = 1 }
        on && left && $0 ~ pattern { sub(pattern, new); left = 0; n++ }
        { print } END { exit !n }' "$work/all.ptx" >"$work/planted.ptx" ||
        { wrong "$1 has no $2"; return; }
    if PTX=$work/planted.ptx run "$4" "$5" 2>"$work/err"; then
        wrong "$1: '$2' as '$3' is not seen by $4 $5"
    elif ! grep -q "$6" "$work/log"; then wrong "$1: '$2' as '$3': expected '$6'"
    else echo "planted in $1: $(grep -m 1 -o "$6.*" "$work/log" | cut -c 1-90)"
    fi
}
dense=(test_layers cuda_on_host.dense) norm=(test_batchnorm cuda_on_host.mask_of_x)
tile=(test_cuda_edges few_channels)
race='a race\|read before it is written'
planted add_rows 'bar[.]sync[^;]*;' '' "${dense[@]}" "$race"
planted add_rows '[[]2048[]]' '[1984]' "${dense[@]}" 'shared memory out of bounds'
planted bn_backward_sums 'bar[.]sync[^;]*;' '' "${norm[@]}" "$race"
planted bn_backward_sums 'membar[.]gl;' '' "${norm[@]}" 'no fence before an atomic increment'
planted conv_tile 'bar[.]sync[^;]*;' '' "${tile[@]}" "$race"
planted conv_tile 'cp[.]async[.]wait_all;' '' "${tile[@]}" 'a copy into it is in flight'
planted conv_tile 'ldmatrix[^;]*[[]%r[0-9]+' '&+2' "${tile[@]}" 'a misaligned address'
planted axpy 'ld[.]global[.]v4[^;]*[[]%rd[0-9]+' '&+8' test_vectors cuda_on_host.axpy_shaped \
    'a misaligned address'
planted add_rows 'st[.]global[.]f32[^;]*[[]%rd[0-9]+' '&+16777216' "${dense[@]}" \
    'global memory out of bounds'
exit $failed
