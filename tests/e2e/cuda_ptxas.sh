#!/usr/bin/env bash
# ranks: 0
# seconds: 300
# sanitizers: no
# The kernels as compiled for an H100, without one: no registers spilled, no stack; and in those
# that are written for it, loads or stores of 16 bytes (cuobjdump, a part of CUDA, shows them).
set -u
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
WIDE="pad_channels" # kernels with 16-byte accesses
type -P nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "wrong: $*"; failed=1; }

for source in common/backend/cuda/*.cu; do echo "#include \"$PWD/$source\""; done >"$work/all.cu"
nvcc -cubin -arch=sm_90 -O3 -std=c++17 -Icommon -Icommon/backend/cuda -Xptxas -v "$work/all.cu" \
    -o "$work/all.cubin" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
kernels=$(grep -c 'Compiling entry function' "$work/log")
[ "$kernels" -ge 30 ] || wrong "$kernels kernels compiled, expected 30 or more"
spilled=$(awk '/Function properties for/ { name = $NF }
    /bytes stack frame/ && !/^ *0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads/ {
        print name ": " $0 }' "$work/log")
[ -z "$spilled" ] || wrong "stack or spills: $spilled"
grep -q '0 bytes spill stores' "$work/log" || wrong "ptxas says nothing of spills"
echo "$kernels kernels, at most $(grep -o 'Used [0-9]* registers' "$work/log" |
    awk '$2 > most { most = $2 } END { print most }') registers"

if ! type -P cuobjdump >/dev/null; then
    echo "16-byte accesses not checked: no cuobjdump"
else
    cuobjdump --dump-sass "$work/all.cubin" >"$work/sass" 2>&1 || { cat "$work/sass"; exit 1; }
    for kernel in $WIDE; do
        accesses=$(awk -v name="$kernel" '/Function :/ { on = index($0, name) }
            on && /(LDG|STG)\.E[.A-Z]*\.128/' "$work/sass" | wc -l)
        [ "$accesses" -gt 0 ] || wrong "$kernel: no 16-byte load or store"
        echo "$kernel: $accesses 16-byte accesses"
    done
fi
exit $failed
