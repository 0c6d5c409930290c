#!/usr/bin/env bash
# tests/fuzz.sh FOLDER SECONDS: runs every fuzzer of FOLDER for so long. What it found lies in FOLDER/NAME.crash-…;
# the inputs that reached new code are kept in FOLDER/NAME.corpus for the next run.
set -u
folder=$1; seconds=$2; failed=0
for fuzzer in "$folder"/fuzz_*; do
    case $fuzzer in *.d | *.o | *.corpus | *.log | *crash-* | *leak-* | *timeout-* | *oom-*) continue ;; esac
    [ -x "$fuzzer" ] || continue
    mkdir -p "$fuzzer.corpus"
    if "$fuzzer" "$fuzzer.corpus" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$fuzzer." >"$fuzzer.log" 2>&1; then
        echo "ok    $(basename "$fuzzer"): $(grep -ao 'Done [0-9]* runs in [0-9]* second' "$fuzzer.log")s"
    else
        echo "FAIL  $(basename "$fuzzer"): see $fuzzer.log"; tail -n 15 "$fuzzer.log" | sed 's/^/      /'; failed=1
    fi
done
exit $failed
