#!/usr/bin/env bash
# run.sh BUILD [NAME…]: runs the cases of BUILD/tests/test_* and the scripts tests/e2e/*.sh, each in
# a separate process with a time limit that only ends hangs; continues after a failure; ends with
# "N passed, N failed, N skipped". NAME: only cases whose "program/case" contains it.
#
# Without ALL=1 a sample: one of the cases that differ only by a seed or the number of ranks; on the
# CPU emulation of CUDA, which is slow, only the tests of kernels and memory, and no whole trainings
# in each precision; and no script with a line "# all: yes". If no case of the sample matches a
# NAME, all cases that do. Scripts do less, too, without ALL=1.
#
# JOBS + 1 cases at a time, so that no core idles while a case sleeps; beside them JOBS scripts that
# mostly wait (those that drive a window, each on a separate screen, and those with a line
# "# waits: yes"), or others when those are done; at the end a GPU's cases, alone. The
# longest first: BUILD/tests/costs.csv (costs_all.csv with ALL=1) keeps each case's wall and
# processor seconds from the last run.
# With more than 3 cores a case of several ranks (or a script without a line "# ranks: 0") counts
# twice.
# SAN=1: the same cases, except scripts with a line "# sanitizers: no" (those with "only" run only
# then).
# SAN=thread: the unit tests of code with threads, in one process, with OpenMP held to one thread:
# the thread sanitizer knows neither OpenMP's barriers nor MPI.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
build=$1; shift
work=$(mktemp -d) || exit 2
export BUILD=$build LABS_TESTS=$work # all that a test starts ends with this script
common/setup/guard.sh watch $$ "$work"
trap 'common/setup/guard.sh end "$work"' EXIT
unset LABS_PARENT
# Python itself, not a version manager's script, which starts a dozen programs each time.
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) && PATH=${python%/*}:$PATH
# for scripts that call make
unset ONLY LABS_BUILD MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL MAKE_TERMOUT MAKE_TERMERR
# protect_shadow_gap: CUDA needs those addresses.
export ASAN_OPTIONS=${ASAN_OPTIONS-fast_unwind_on_malloc=0:protect_shadow_gap=0}
fast=$ASAN_OPTIONS:fast_unwind_on_malloc=1
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

slower=3 # beside a load of 20 a script takes four times its time
if [ -n "${SAN:-}" ]; then # a stop takes longer, too
    export LABS_STOP_SECONDS=${LABS_STOP_SECONDS:-20}
    slower=5
fi

# ---- which cases --------------------------------------------------------------------------------
unit_cases() { # lines: light|heavy|gpu id limit command…
    local program name source ranks limit cases leaks case kind
    for source in tests/unit/test_*.c; do
        name=${source##*/} name=${name%.c}; program=$build/tests/$name
        [ -e "$source" ] || continue
        case " ${threaded-$name} " in *" $name "*) ;; *) continue ;; esac
        if ! cases=$(ASAN_OPTIONS=detect_leaks=0 "$program" --list) || [ -z "$cases" ]; then
            echo "light $name/--list 60 false"
            continue
        fi
        while read -r case ranks limit; do
            kind=light leaks=
            [ "$ranks" = 0 ] || kind=heavy
            case $case in cuda.* | nccl_*) kind=gpu ;; esac
            if [ "$ranks" = 0 ]; then
                # Where MPI does not leak (lsan.txt), ASan may follow frame pointers: twice as fast.
                [ "${SAN:-}" != 1 ] || [[ $case = *mpi* ]] || leaks="env ASAN_OPTIONS=$fast"
                echo "$kind $name/$case $limit $before $leaks $program $case"
            elif [ "${SAN:-}" != thread ]; then
                # LeakSanitizer's tracer sometimes crashes beside the threads of Open MPI.
                [ "${SAN:-}" != 1 ] || [ "$ranks" = 1 ] ||
                    leaks="env ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0"
                echo "$kind $name/$case $limit" \
                    "$leaks common/setup/launch.sh --np $ranks $program $case"
            fi
        done <<<"$cases"
    done
}
scripts() { # lines: light|heavy|waits id limit command…, and "all id" for those only with ALL=1
    awk -v san="${SAN:-}" '
        function end_of_script() {
            if (!script || (san ? no_san : only_san)) return
            if (all) print "all", id
            print waits ? "waits" : single ? "light" : "heavy", id, limit, "bash", script
        }
        FNR == 1 { end_of_script(); script = id = FILENAME; limit = 600
                   no_san = only_san = waits = single = all = 0
                   sub(/.*\//, "e2e/", id); sub(/\.sh$/, "", id) }
        /^# sanitizers: no$/ { no_san = 1 }
        /^# sanitizers: only$/ { only_san = 1 }
        /^# all: yes$/ { all = 1 }
        /^# ranks: 0$/ { single = 1 }
        /^# waits: yes$/ || $0 == ". tests/e2e/_screen.sh" { waits = 1 }
        /^# seconds: / && $3 > limit { limit = $3 }
        END { end_of_script() }' tests/e2e/[0-9a-z]*.sh
}
# Of cases that differ only by a seed (case, case.1, …) the first; by the number of ranks (case_1,
# case_2, …) that with 3, else 2, else the first; of scripts those without "# all: yes".
sample() {
    local kernels='^test_(conv|layers|batchnorm|vectors|cuda|loader)'
    awk -v kernels="$kernels" '$1 == "all" { rest[$2]; next }
        $2 in rest || ($2 ~ "/cuda_on_host[.]" && $2 !~ kernels) { next }
        $2 ~ "^test_cuda_gpu/.*(fp16|bf16|tf32|loss_scal)" { next }
        { family = $2; ranks = match($0, / --np [0-9]+ /) ? substr($0, RSTART + 6) + 0 : 0
            if (ranks) sub("_" ranks "$", "_", family); else sub(/\.[0-9]+$/, "", family)
            if (!(family in kept) || (ranks && ranks <= 3)) kept[family] = NR
            line[NR] = $0; of[NR] = family }
        END { for (i = 1; i <= NR; i++) if (i in line && kept[of[i]] == i) print line[i] }'
}
with_name() { awk -v name="$1" 'index($2, name)'; }
unit_cases >"$work/list"
[ "${SAN:-}" = thread ] || scripts >>"$work/list"
grep -v '^all ' "$work/list" >"$work/all"
if [ -n "${ALL:-}" ]; then cp "$work/all" "$work/sample"
else sample <"$work/list" >"$work/sample"; fi
if [ $# -gt 0 ]; then
    for name; do
        with_name "$name" <"$work/sample" | grep . || with_name "$name" <"$work/all"
    done | awk '!($2 in seen) { seen[$2]; print }' >"$work/cases"
else cp "$work/sample" "$work/cases"; fi
if [ ! -s "$work/cases" ]; then
    echo "no test has '$*' in its name"
    echo "0 passed, 0 failed, 0 skipped"
    exit 1
fi

# ---- in which order -----------------------------------------------------------------------------
# What a case takes if it is not known, in milliseconds: unit, unit with ranks, script.
expect=(150 400 5000)
[ -z "${ALL:-}" ] || expect=(200 500 22000)
[ -z "${SAN:-}" ] || expect=(500 1000 20000)
costs=$build/tests/costs${ALL:+_all}.csv
[ -e "$costs" ] || : >"$costs"
awk -v unit="${expect[0]}" -v ranks="${expect[1]}" -v script="${expect[2]}" '
    FS == "," { took[$1] = 1000 * $3; next }
    { $3 = $3 " " ($2 in took ? took[$2] : $2 ~ /^e2e/ ? script : $1 == "heavy" ? ranks : unit)
      print }' FS=, "$costs" FS=' ' "$work/cases" | sort -s -k 4,4nr >"$work/order"
jobs=${JOBS:-2}
declare -A queue share limit estimate command
declare -A room=([compute]=$((jobs + 1)) [waits]=$jobs [gpu]=1) # how many more may start
total=0 expected=0
while read -r kind id seconds cost words; do
    share[$id]="compute 1"
    case $kind in
        waits | gpu) share[$id]="$kind 1" ;;
        heavy) [ "$jobs" -le 3 ] || share[$id]="compute 2" ;;
    esac
    queue[${share[$id]% *}]+=" $id"
    limit[$id]=$((seconds * slower)) estimate[$id]=$cost command[$id]=$words
    total=$((total + 1)) expected=$((expected + cost))
done <"$work/order"

# ---- runs them ----------------------------------------------------------------------------------
one() { # slot id: writes slot, exit status, wall and processor milliseconds
    local status wall user system TIMEFORMAT='%R %U %S' leftover lines
    # shellcheck disable=SC2086 # words
    { time TMPDIR=$work/$1 timeout --kill-after=5 "${limit[$2]}" ${command[$2]} \
        >"$work/$1.log" 2>&1 </dev/null 9>&-; } 2>"$work/$1.time"
    status=$?
    mapfile -t lines <"$work/$1.time" # the shell's messages may come first
    read -r wall user system <<<"${lines[-1]}"
    leftover=("$work/$1"/*)
    [ ${#leftover[@]} = 0 ] || { rm -rf "${work:?}/$1"; mkdir "$work/$1"; }
    echo "end $1 $status $((10#${wall/[.,]/})) $((10#${user/[.,]/} + 10#${system/[.,]/}))" >&9
}
shopt -s dotglob nullglob
mkfifo "$work/ended"
exec 9<>"$work/ended"
declare -A running=() process # by slot: a case's id; the shell that runs it
done=0 passed=0 failed=0 skipped=0 cpu_all=0
start() { # class id
    local slot=0
    while [ -n "${running[$slot]-}" ]; do slot=$((slot + 1)); done
    [ -d "$work/$slot" ] || mkdir "$work/$slot"
    room[$1]=$((room[$1] - ${share[$2]#* }))
    running[$slot]=$2
    one "$slot" "$2" &
    process[$slot]=$!
}
start_some() {
    local class id
    if [ -z "${queue[waits]-}" ]; then # none of them is left: their room is everyone's
        room[compute]=$((room[compute] + room[waits])) room[waits]=0
    fi
    for class in compute waits gpu; do
        [ $class != gpu ] || [ ${#running[@]} = 0 ] || return # its memory is small
        while [ -n "${queue[$class]-}" ] && [ "${room[$class]}" -gt 0 ]; do
            id=${queue[$class]# } id=${id%% *}
            queue[$class]=${queue[$class]#" $id"}
            start $class "$id"
        done
    done
}
finish() { # slot, exit status, wall and processor milliseconds
    local id=${running[$1]} result=fail line reason='skipped: no reason given' seconds
    unset "running[$1]"
    room[${share[$id]% *}]=$((room[${share[$id]% *}] + ${share[$id]#* }))
    done=$((done + estimate[$id])) cpu_all=$((cpu_all + $4))
    printf -v seconds '%d.%03d,%d.%03d' $(($3 / 1000)) $(($3 % 1000)) $(($4 / 1000)) $(($4 % 1000))
    case $2 in
        0) passed=$((passed + 1)) result=pass ;;
        77)
            skipped=$((skipped + 1)) result=skip
            while read -r line; do
                [[ ! $line =~ [Ss]kipped ]] || { reason=$line; break; }
            done <"$work/$1.log"
            echo "$reason" >>"$work/skipped" ;;
        *)
            failed=$((failed + 1))
            case $2 in
                124 | 137) echo "over the time limit of ${limit[$id]} s, or killed" ;;
            esac >>"$work/$1.log"
            printf "$clear%s\n" "FAIL  $id (exit $2, $(($3 / 1000)) s)"
            tail -n 60 "$work/$1.log" | sed 's/^/      /'
            echo "FAIL  $id" >>"$work/failed" ;;
    esac
    echo "$id,$seconds,$result" >>"$work/costs"
}
# A shell that was killed reports nothing. What it wrote before is read before this line.
find_lost() {
    local slot
    for slot in "${!running[@]}"; do
        kill -0 "${process[$slot]}" 2>/dev/null || echo "lost $slot ${process[$slot]}" >&9
    done
}
clear='' every=10
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ]; then clear='\r\e[K' every=1; fi
minutes() { printf -v text '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }
show() { # how far it is: one line, written again on a terminal
    local text left=$(((expected - done) / 1000 / jobs)) percent=$((100 * done / (expected + 1)))
    [ "$SECONDS" -ge "$shown" ] || return
    shown=$((SECONDS + every))
    [ "$percent" -lt 5 ] || left=$((SECONDS * (expected - done) / done))
    minutes $left
    text="$((passed + failed + skipped)) of $total cases, $percent %, $text left, $failed failed"
    if [ -n "$clear" ]; then printf "$clear%s" "$text"; else echo "$text"; fi
}
minutes $((expected / 1000 / jobs))
echo "$total cases, about $text on $jobs cores$(
    [ "$(wc -l <"$work/all")" = "$total" ] || [ -n "${ALL:-}" ] || [ $# -gt 0 ] ||
        echo " (a sample of $(wc -l <"$work/all"): ALL=1 runs all)")"
SECONDS=0 shown=$every
while sleep 1; do echo tick; done >&9 & # not 'read -t': that may lose half a line
ticks=$!
start_some
while [ ${#running[@]} -gt 0 ] && read -r -u 9 what slot rest; do
    # shellcheck disable=SC2086 # words
    case $what in
        end) finish "$slot" $rest ;;
        lost) [ -z "${running[$slot]-}" ] || [ "${process[$slot]}" != "$rest" ] ||
            finish "$slot" 137 0 0 ;;
        tick) find_lost ;;
    esac
    start_some
    show
done
kill "$ticks"
printf "$clear"

# ---- what came of it ----------------------------------------------------------------------------
awk -F, '!($1 in seen) { seen[$1]; print }' "$work/costs" "$costs" | sort -t , -k 3,3nr >"$work/new"
cp "$work/new" "$costs"
[ ! -e "$work/skipped" ] || sort "$work/skipped" | uniq -c | sort -rn
minutes $SECONDS
echo "$text, $((cpu_all / 1000)) s of processor time; of each case: $costs;" \
    "most: $(sort -t , -k 3,3nr "$work/costs" | head -n 3 |
        awk -F, '{ printf "%s%s %.0f s", (NR > 1 ? ", " : ""), $1, $3 }')"
cat "$work/failed" 2>/dev/null
failed=$((total - passed - skipped)) # what did not run has failed
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
