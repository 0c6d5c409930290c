#!/usr/bin/env bash
# seconds: 600
# sanitizers: no
# If only one rank can load NCCL (a stand-in for the driver's library is enough for that), all ranks
# use MPI; if NCCL was asked for, the run ends with one line. A library that does not load, cuDNN's
# or NCCL's, costs neither the other nor the GPU.
set -u
[ -e "$BUILD/labs_gpu.so" ] && "$BUILD/tests/test_comm_nccl" --list | grep -q '^double_1 ' ||
    { echo "skipped: no NCCL"; exit 77; }
. tests/e2e/_work.sh
# shellcheck disable=SC2086 # it may be two words
echo | ${CC:-cc} -shared -x c - -o "$work/libcuda.so.1" || exit 1

ranks() { # rank-with-the-stand-in program arguments…
    # shellcheck disable=SC2016 # the ranks' shells expand it
    WITH=$1 WHERE=$work timeout 40 common/setup/launch.sh --np 2 bash -c \
        'if [ "$OMPI_COMM_WORLD_RANK" = "$WITH" ]; then
             export LD_LIBRARY_PATH=$WHERE:${LD_LIBRARY_PATH-}
         fi
         exec "$@"' _ "${@:2}" >"$work/out" 2>"$work/err"
}

program=$BUILD/student/lab3_scale/1_batch_size
LD_LIBRARY_PATH=$work:${LD_LIBRARY_PATH-} "$program" --comm nccl \
    >"$work/out" 2>"$work/err"
status=$?
[ $status = 77 ] || wrong "one rank with the stand-in: exit status $status, expected 77"
grep -q 'no NCCL here: no GPU that CUDA can use' "$work/err" ||
    wrong "with the stand-in NCCL should have been loaded"

# An empty file in the library's place.
for library in cudnn nccl; do
    mkdir "$work/$library"
    cp "$work/libcuda.so.1" "$work/$library"
    for version in 8 9 2; do : >"$work/$library/lib$library.so.$version"; done
done
one() { # library that does not load, option, pattern
    LD_LIBRARY_PATH=$work/$1:${LD_LIBRARY_PATH-} "$program" "${@:2:2}" >"$work/out" 2>"$work/err"
    status=$?
    [ $status = 77 ] || wrong "lib$1 does not load, $2 $3: exit status $status, expected 77"
    grep -qE -e "$4" "$work/err" || wrong "lib$1 does not load, $2 $3: expected: $4"
    echo "lib$1 does not load: $(cat "$work/err")"
}
gpu='--device=cuda: (no NVIDIA driver|CUDA does not start|the NVIDIA driver)'
one cudnn --device cuda "$gpu"
one nccl --device cuda "$gpu"
one cudnn --comm nccl 'no NCCL here: no GPU that CUDA can use'
one nccl --comm nccl 'no NCCL here: .*libnccl.so.2: file too short'

for rank in 0 1; do
    ranks $rank "$BUILD/tests/test_comm" auto_2 ||
        wrong "rank $rank alone can load NCCL: exit status $?, expected 0"
    grep -q '^note: without NCCL: not every rank can load it' "$work/err" ||
        wrong "rank $rank alone can load NCCL: that is not reported"
    ranks $rank "$program" --comm nccl; status=$?
    [ $status = 77 ] || wrong "--comm nccl: exit status $status, expected 77"
    [ "$(wc -l <"$work/err")" -le 2 ] ||
        wrong "--comm nccl: expected one line on stderr, or one from each rank"
    grep -qE '^rank [01]: error: --comm nccl: no NCCL here: no .*: use --comm mpi$' "$work/err" ||
        wrong "--comm nccl: its message"
    echo "rank $rank alone can load NCCL: $(cat "$work/err")"
done
exit $failed
