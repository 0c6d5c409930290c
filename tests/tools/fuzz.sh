#!/usr/bin/env bash
# fuzz.sh FOLDER CLANG SECONDS SEED MAKE…: build the fuzzers with that command (into FOLDER/fuzzers)
# and run each for SECONDS. SEED: of what they try; 0: another one each time. Findings are in
# fuzzers/NAME.crash-…; inputs that reached new code are kept in fuzzers/NAME.corpus for the next
# run.
set -u
export LC_ALL=C
folder=$1 clang=$2 seconds=$3 seed=$4
shift 4
mkdir -p "$folder"
printf '%s\n' '#include <omp.h>' '#include <stddef.h>' '#include <stdint.h>' \
    'int LLVMFuzzerTestOneInput(const uint8_t *b, size_t n)' \
    '{ return omp_get_num_threads() < 0 && n && *b; }' \
    >"$folder/probe.c"
if ! "$clang" -fopenmp -fsanitize=fuzzer,address "$folder/probe.c" -o "$folder/probe" \
    2>"$folder/probe.log"; then
    echo "fuzz: skipped: no $clang with libFuzzer and OpenMP here ($folder/probe.log)"
    exit 0
fi
"$@" || exit
# initial inputs, where there is a Python
python3 tests/fuzz/seeds.py "$folder/fuzzers" 2>"$folder/seeds.log" || true
one() { # fuzzer
    mkdir -p "$1.corpus"
    if "$1" "$1.corpus" -seed="$seed" -max_total_time="$seconds" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="$1." >"$1.log" 2>&1; then
        echo "ok    $(basename "$1"): $(grep -ao 'Done [0-9]* runs in [0-9]* second' "$1.log")s"
    else
        echo "FAIL  $(basename "$1"): see $1.log"
        tail -n 15 "$1.log" | sed 's/^/      /'
        return 1
    fi
}
export -f one; export seed seconds
find "$folder/fuzzers" -maxdepth 1 -name 'fuzz_*' ! -name '*.*' -type f -perm -u+x | sort |
    xargs -n 1 -P "${JOBS:-2}" bash -c 'one "$1"' _
