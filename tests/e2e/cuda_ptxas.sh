#!/usr/bin/env bash
# ranks: 0
# seconds: 900
# all: yes
# sanitizers: no
# The kernels as compiled for an A100 and an H100, without one: no registers spilled, no stack,
# except in attention's, where a thread holds a row of up to 128 channels and spills from 64 on; and
# in those that are written for it, loads and stores of 16 bytes (cuobjdump, a part of CUDA, shows
# them), so many that a thread has several in flight at once. And F16 is converted by the GPU's own
# instructions.
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
        on && index($0, what)' "$work/ptx" | wc -l
}

for source in common/backend/cuda/*.cu; do echo "#include \"$PWD/$source\""; done >"$work/all.cu"
for arch in 80 90; do
    compile $arch -cubin -Xptxas -v --keep --keep-dir "$work" -o "$work/all.cubin"
    [ $arch != 80 ] || cp "$work/all.ptx" "$work/ptx"
    registers $arch
    if ! type -P cuobjdump >/dev/null; then
        echo "16-byte accesses not checked: no cuobjdump"
    else
        cuobjdump --dump-sass "$work/all.cubin" >"$work/sass" 2>&1 || { cat "$work/sass"; exit 1; }
        all_wide
    fi
done
for instruction in cvt.f32.f16 cvt.rn.f16.f32; do
    count=$(converts $instruction)
    [ "$count" -ge 8 ] || wrong "$instruction: $count, expected 8 or more"
    echo "$instruction: $count"
done
exit $failed
