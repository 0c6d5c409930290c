#!/usr/bin/env bash
# seconds: 1800
# sanitizers: no
# CUDA's sanitizer over the kernels: memcheck (wrong addresses), racecheck (threads of a block that
# do not wait for each other), synccheck (barriers that not all threads reach) and initcheck (memory
# read before it is written) run those cases of the backend's tests that use a GPU. Not cuDNN's and
# cuBLAS's kernels (racecheck finds a race within one of cuDNN's), nor errors that the libraries'
# probing calls return.
set -u
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$BUILD/tests/test_vectors" --list | grep -q '^cuda\.' ||
    { echo "skipped: no CUDA to compile with"; exit 77; }
"$BUILD/tests/test_cuda_gpu" cuda.two_at_once >"$out" 2>&1
if [ $? = 77 ]; then grep -m 1 skipped "$out"; exit 77; fi
type -P compute-sanitizer >/dev/null ||
    { echo "skipped: no compute-sanitizer, a part of CUDA"; exit 77; }
failed=0 cases=0
for test in test_cuda_gpu test_batchnorm test_conv test_layers test_model_gradient test_optim \
    test_vectors; do
    for case in $("$BUILD/tests/$test" --list | sed -n 's/^\(cuda\.[^ ]*\) 0 .*/\1/p'); do
        cases=$((cases + 1))
        for tool in memcheck racecheck synccheck initcheck; do
            timeout 300 compute-sanitizer --error-exitcode 9 --report-api-errors no \
                --kernel-regex-exclude kns=cudnn --kernel-regex-exclude kns=cutlass \
                --tool $tool "$BUILD/tests/$test" "$case" >"$out" 2>&1
            status=$?
            case $status in
                0 | 77) echo "$tool $test $case: exit $status" ;;
                *)
                    failed=1; echo "wrong: $tool $test $case: exit $status"
                    tail -n 30 "$out" | sed 's/^/    /' ;;
            esac
        done
    done
done
[ $cases -gt 0 ] || { echo "wrong: no case found"; failed=1; }
exit $failed
