#!/usr/bin/env bash
# run.sh BUILD [NAME…]: runs every case of BUILD/tests/test_* and every tests/e2e/*.sh, each in a
# separate process with a time limit; continues after a failure; ends with "N passed, N failed, N
# skipped". NAME: only cases whose "program/case" contains it.
#
# First single processes, JOBS at a time; then the scripts that mostly wait (those that drive a
# window, each on a separate screen, and those with a line "# waits: yes"), 2 * JOBS at a time; then
# what needs several cores (ranks > 1, and scripts without a line "# ranks: 0"), JOBS/2 at a time, 2
# at least.
# A case that fails beside others runs once more at the end, alone; passes it then, a line says so.
# More than RETRIES failures are no accident, nor is what a sanitizer finds: these do not run again.
# SAN=1: the same cases, except scripts with a line "# sanitizers: no", and 5 times the time limit;
# of those that differ only by a seed or the number of ranks one each, unless ALL=1.
# SAN=thread: the unit tests of code with threads, in one process, with OpenMP held to one thread:
# the thread sanitizer knows neither OpenMP's barriers nor MPI.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1; shift
work=$(mktemp -d) || exit 2
export BUILD=$build LABS_TESTS=$work # all that a test starts ends with this script
common/setup/guard.sh watch $$ "$work"
trap 'common/setup/guard.sh end "$work"' EXIT
unset LABS_PARENT
# for scripts that call make
unset ONLY MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL MAKE_TERMOUT MAKE_TERMERR
# protect_shadow_gap: CUDA needs those addresses.
export ASAN_OPTIONS=${ASAN_OPTIONS-fast_unwind_on_malloc=0:protect_shadow_gap=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS-print_stacktrace=1}
export LSAN_OPTIONS=${LSAN_OPTIONS-suppressions=$PWD/tests/tools/lsan.txt:print_suppressions=0}
export OMP_WAIT_POLICY=passive # waiting threads yield their core to the other tests
before=
if [ "${SAN:-}" = thread ]; then
    # without it the sanitizer fails where addresses are randomised too widely
    if setarch -R true 2>/dev/null; then before="setarch -R"; fi
    export OMP_THREAD_LIMIT=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    threaded=$THREADED # make/tests.mk
    echo "SAN=thread: $threaded; OpenMP with one thread; no ranks, no scripts"
fi

# a stop takes longer, too
[ -z "${SAN:-}" ] || export LABS_STOP_SECONDS=${LABS_STOP_SECONDS:-20}
if [ "${SAN:-}" = 1 ]; then
    echo "SAN=1: without the scripts that test scripts, or programs that another one tests:" \
        "$(grep -l '^# sanitizers: no' tests/e2e/*.sh | xargs -n 1 basename -s .sh | xargs)"
fi

list() { # lines: light|waits|heavy|gpu id seconds command…
    local program name source ranks seconds cases script leaks case kind
    for source in tests/unit/test_*.c; do
        name=$(basename "$source" .c); program=$build/tests/$name
        [ -e "$source" ] || continue
        case " ${threaded-$name} " in *" $name "*) ;; *) continue ;; esac
        if ! cases=$(ASAN_OPTIONS=detect_leaks=0 "$program" --list) || [ -z "$cases" ]; then
            echo "light $name/--list 60 false"
            continue
        fi
        echo "$cases" | while read -r case ranks seconds; do
            case $case in
                cuda.* | nccl_*) kind=gpu ;;
                *) kind=$([ "$ranks" = 0 ] && echo light || echo heavy) ;;
            esac
            if [ "$ranks" = 0 ]; then echo "$kind $name/$case $seconds $before $program $case"
            elif [ "${SAN:-}" != thread ]; then
                leaks=
                # LeakSanitizer's tracer sometimes crashes beside the threads of Open MPI.
                if [ "${SAN:-}" = 1 ] && [ "$ranks" -gt 1 ]; then
                    leaks="env ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0"
                fi
                echo "$kind $name/$case $seconds" \
                    "$leaks common/setup/launch.sh --np $ranks $program $case"
            fi
        done
    done
    [ "${SAN:-}" != thread ] || return 0
    for script in tests/e2e/[0-9a-z]*.sh; do
        [ -e "$script" ] || continue
        if [ -n "${SAN:-}" ] && grep -q '^# sanitizers: no' "$script"; then continue; fi
        seconds=$(sed -n 's/^# seconds: //p' "$script" | head -n 1)
        if grep -q '^# ranks: 0$' "$script"; then printf light
        elif grep -qE '^(\. tests/e2e/_screen.sh|# waits: yes)$' "$script"; then printf waits
        else printf heavy; fi
        echo " e2e/$(basename "$script" .sh) ${seconds:-120} bash $script"
    done
}
# Of cases that differ only by a seed (case, case.1, …) the first; by the number of ranks (case_1,
# case_2, …) that with 3, else 2, else the first.
one_each() {
    awk '{ family = $2; ranks = match($0, / --np [0-9]+ /) ? substr($0, RSTART + 6) + 0 : 0
            if (ranks) sub("_" ranks "$", "_", family); else sub(/\.[0-9]+$/, "", family)
            if (!(family in kept) || (ranks && ranks <= 3)) kept[family] = NR
            line[NR] = $0; of[NR] = family }
        END { for (i = 1; i <= NR; i++) if (kept[of[i]] == i) print line[i] }'
}
RETRIES=8
one() { # light|waits|heavy|gpu id seconds command…
    local id=$2 seconds=$3 log status began=$SECONDS TIMEFORMAT='%U %S' used
    shift 3
    log=$work/$(echo "$id" | tr / _).log
    [ -z "${SAN:-}" ] || seconds=$((seconds * 5))
    mkdir -p "$log.d"
    { time TMPDIR=$log.d timeout --kill-after=5 "$seconds" "$@" >"$log" 2>&1 </dev/null; } \
        2>"$log.time"
    status=$?
    rm -rf "$log.d"
    used=$(awk '{ printf "%.0f", $1 + $2 }' "$log.time")
    case $status in
        0) echo "ok    $id ($((SECONDS - began)) s, of processor: $used)"
            echo pass >"$log.result" ;;
        77) echo "skip  $id: $(grep -m 1 -i skipped "$log" || echo 'skipped: no reason given')"
            echo skip >"$log.result" ;;
        *) case $status in
               124 | 137) echo "over the time limit of $seconds s, or killed" >>"$log" ;;
           esac
           printf '%s\n%s\n' "FAIL  $id (exit $status)" "$(tail -n 60 "$log" | sed 's/^/      /')"
           echo fail >"$log.result"; echo "$id" >>"$work/failed" ;;
    esac
}
run() { # light|waits|heavy|gpu, cases at a time
    grep "^$1 " "$work/cases" | xargs -r -P "$2" -L 1 bash -c 'one "$@"' _
}
export -f one; export work
list >"$work/all"
if [ "${SAN:-}" = 1 ] && [ -z "${ALL:-}" ]; then
    echo "SAN=1: of cases that differ by a seed or the number of ranks one each; ALL=1: all"
    one_each <"$work/all" >"$work/some"; mv "$work/some" "$work/all"
fi
if [ $# -gt 0 ]; then
    cut -d ' ' -f 2 "$work/all" | grep -F "$(printf '%s\n' "$@")" >"$work/ids"
    awk 'NR == FNR { wanted[$1]; next } $2 in wanted' "$work/ids" "$work/all" >"$work/cases"
else cp "$work/all" "$work/cases"; fi
jobs=${JOBS:-2}
run light "$jobs"
run waits $((2 * jobs))
run heavy "$((jobs > 3 ? jobs / 2 : jobs))"
run gpu 1 # there is one GPU, and its memory is small
again() {
    [ -s "$work/failed" ] && [ "$(wc -l <"$work/failed")" -le $RETRIES ] || return 0
    local id
    sort -u "$work/failed" >"$work/once_more"
    while read -r id; do
        ! grep -qE 'Sanitizer:|runtime error:' "$work/$(echo "$id" | tr / _).log" || continue
        echo "once more, alone: $id"
        awk -v id="$id" '$2 == id' "$work/cases" | xargs -r -L 1 bash -c 'one "$@"' _
        ! grep -q '^pass' "$work/$(echo "$id" | tr / _).log.result" ||
            echo "      $id failed beside others, passed alone"
    done <"$work/once_more"
}
again
count() { cat "$work"/*.result 2>/dev/null | grep -c "^$1"; }
total=$(wc -l <"$work/cases"); passed=$(count pass); skipped=$(count skip)
failed=$((total - passed - skipped))
[ "$total" -gt 0 ] || echo "no test has '$*' in its name"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
