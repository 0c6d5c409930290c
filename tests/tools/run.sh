#!/usr/bin/env bash
# tests/run.sh BUILD [NAME…]: runs every case of BUILD/tests/test_* and every tests/e2e/*.sh, each in a process of its
# own with a time limit; goes on after a failure; ends with "N passed, N failed, N skipped". NAME: only cases whose
# "program/case" contains it.
#
# Single processes run JOBS at a time; then the scripts that drive a window, which mostly wait,
# 2 * JOBS at a time, each on a screen of its own; then what needs several cores (ranks > 1; a
# script, unless it has a line "# ranks: 0"), JOBS/2 at a time. SAN=1: the same cases but scripts with a line "# sanitizers: no", 5 times the
# time. SAN=thread: the unit tests of what has threads of its own, in one process, with OpenMP held to one thread: the
# thread sanitizer does not know OpenMP's barriers, nor what MPI does.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1; shift
work=$(mktemp -d); export BUILD=$build
trap 'rm -rf "$work"' EXIT
unset ONLY MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL MAKE_TERMOUT MAKE_TERMERR # a script that calls make starts afresh
# protect_shadow_gap: CUDA wants those addresses.
export ASAN_OPTIONS=${ASAN_OPTIONS-fast_unwind_on_malloc=0:protect_shadow_gap=0} UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
export LSAN_OPTIONS=${LSAN_OPTIONS-suppressions=$PWD/tests/lsan.txt:print_suppressions=0}
export OMP_WAIT_POLICY=passive # idle threads leave their core to the other tests
before=
if [ "${SAN:-}" = thread ]; then
    if setarch -R true 2>/dev/null; then before="setarch -R"; fi # it fails where addresses are randomised too widely
    export OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    threaded="test_audit test_background_thread test_check test_comm_watch test_loader test_loader_events test_trace"
    echo "SAN=thread: $threaded; OpenMP with one thread; no ranks, no scripts"
fi

if [ "${SAN:-}" = 1 ]; then
    echo "SAN=1: without the scripts that try scripts, or programs that another one tries:" \
        "$(grep -l '^# sanitizers: no' tests/e2e/*.sh | xargs -n 1 basename -s .sh | xargs)"
fi

list() { # lines: light|window|heavy|gpu id seconds command…
    local program name source ranks seconds cases script leaks case kind
    for source in tests/unit/test_*.c; do
        name=$(basename "$source" .c); program=$build/tests/$name
        [ -e "$source" ] || continue
        case " ${threaded-$name} " in *" $name "*) ;; *) continue ;; esac
        if ! cases=$(ASAN_OPTIONS=detect_leaks=0 "$program" --list) || [ -z "$cases" ]; then echo "light $name/--list 60 false"; continue; fi
        echo "$cases" | while read -r case ranks seconds; do
            case $case in cuda.* | nccl_*) kind=gpu ;; *) kind=$([ "$ranks" = 0 ] && echo light || echo heavy) ;; esac
            if [ "$ranks" = 0 ]; then echo "$kind $name/$case $seconds $before $program $case"
            elif [ "${SAN:-}" != thread ]; then
                # LeakSanitizer's tracer now and then crashes beside the threads of Open MPI: leaks are looked for on one rank.
                leaks=$([ "${SAN:-}" != 1 ] || [ "$ranks" -le 1 ] || echo "env ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0")
                echo "$kind $name/$case $seconds $leaks common/setup/launch.sh --np $ranks $program $case"
            fi
        done
    done
    [ "${SAN:-}" != thread ] || return 0
    for script in tests/e2e/[0-9a-z]*.sh; do
        [ -e "$script" ] || continue
        if [ -n "${SAN:-}" ] && grep -q '^# sanitizers: no' "$script"; then continue; fi
        seconds=$(sed -n 's/^# seconds: //p' "$script" | head -n 1)
        if grep -q '^# ranks: 0$' "$script"; then printf light
        elif grep -q '^\. tests/e2e/_screen.sh$' "$script"; then printf window
        else printf heavy; fi
        echo " e2e/$(basename "$script" .sh) ${seconds:-120} bash $script"
    done
}
one() { # light|window|heavy|gpu id seconds command…
    local id=$2 seconds=$3 log status began=$SECONDS
    shift 3
    log=$work/$(echo "$id" | tr / _).log
    [ -z "${SAN:-}" ] || seconds=$((seconds * 5))
    mkdir -p "$log.d"
    TMPDIR=$log.d timeout --kill-after=5 "$seconds" "$@" >"$log" 2>&1 </dev/null; status=$?
    rm -rf "$log.d"
    case $status in
        0) echo "ok    $id ($((SECONDS - began)) s)"; echo pass >"$log.result" ;;
        77) echo "skip  $id: $(grep -m 1 -i skipped "$log" || echo 'skipped: gave no reason')"
            echo skip >"$log.result" ;;
        *) case $status in 124 | 137) echo "time limit of $seconds s passed, or killed" >>"$log" ;; esac
           printf '%s\n%s\n' "FAIL  $id (exit $status)" "$(tail -n 60 "$log" | sed 's/^/      /')"
           echo fail >"$log.result" ;;
    esac
}
run() { # light|window|heavy|gpu, how many at once
    grep "^$1 " "$work/cases" | xargs -r -P "$2" -L 1 bash -c 'one "$@"' _
}
export -f one; export work
list >"$work/all"
if [ $# -gt 0 ]; then cut -d ' ' -f 2 "$work/all" | grep -F "$(printf '%s\n' "$@")" >"$work/ids"
    awk 'NR == FNR { wanted[$1]; next } $2 in wanted' "$work/ids" "$work/all" >"$work/cases"
else cp "$work/all" "$work/cases"; fi
jobs=${JOBS:-2}
run light "$jobs"
run window $((2 * jobs))
run heavy "$((jobs > 3 ? jobs / 2 : 1))"
run gpu 1 # the GPU is one, and its memory small
count() { cat "$work"/*.result 2>/dev/null | grep -c "^$1"; }
total=$(wc -l <"$work/cases"); passed=$(count pass); skipped=$(count skip)
failed=$((total - passed - skipped))
[ "$total" -gt 0 ] || echo "no test has '$*' in its name"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
