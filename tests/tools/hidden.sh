#!/usr/bin/env bash
# hidden.sh BUILD [NAME…]: submissions that the grader must judge as expected: in tests/hidden/CLASS
# a change of the reference, NAME.sed, or a program, NAME.c, which begins with the lines (# in .sed)
#
#     // what it does
#     // expect: full | [only] fail CRITERION: WORDS | [only] pend CRITERION: WORDS
#     // seconds: 8                              (if it needs all of its budget: the budget)
#     # after: CLASS/NAME                         (that change comes first)
#
# full: all points for sharing; fail, pend: this criterion, with these words (a regular expression)
# in its line or advice; only: and all points for sharing, for it did share. Classes: honest,
# broken, and Kratzke's four of dishonesty: overfitting, evasion, redirection, injection. NAME: only
# those with this in their name.
#
# It also asks of each that the grader comes to its end, that its results are JSON, that no control
# character and no word of blame is in its report, that the project's files are as before, and that
# no process of it is left. Begins with the kind of sandbox, and ends with a table of the classes
# and "N as expected, N not".
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
build=$1; shift
work=$(mktemp -d) || exit 2
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT
trust=()
if why=$(assessment/grader/sandbox.sh works); then
    echo "each in a sandbox ($why)"
else
    echo "without a sandbox, by --trust: $why"
    trust=(--trust)
fi
# Accuracies are another test's matter; a small network keeps the messages short. What many changes
# use: MPI, and where a tensor's numbers are.
sed -E 's/("from": )\{[^}]*\}/\1{"synthetic": 0}/; s/("batch": )\{[^}]*\}/\1{"synthetic": 64}/
    s/("at_least": )\{[^}]*\}/\1{"synthetic": 0.01}/' assessment/rubric.json >"$work/rubric.json"
sed -E -f tests/hidden/conversion.sed "$build/assessment/solution/train.c" >"$work/conversion.c"
sed -E 's/"resnet8"/"mlp"/
    s/\.batch = 64/.batch = 32/; s/\.name = o->model,/& .hidden = {16},/
    s/^#include "comm.h"/&\n#include <mpi.h>/
    s/^\/\* One update: forward/static inline float *host(const Trainer *t, Tensor v)\
{\
    return (float *)t->be->op->buffer_host(v.buf) + v.at;\
}\n\n&/' "$work/conversion.c" >"$work/small.c"

word() { sed -n -E "s,^(#|//) $1: ,,p" "$2" | head -n 1; } # its line in the header
passed() { [ "$(grep -cE '^PASS  (equal|gradients|images)' "$1")" = 3 ]; }
project() {
    cat assessment/rubric.json "$build"/assessment/grader/{grade,compile} "$build/libcommon.a" |
        sha256sum
}

# What no submission may do to its report, or behind its back.
harm() { # folder, the grader's status
    [ "$2" -le 1 ] || echo "the grader's exit status is $2"
    [ "$(grep -c ' of 100 points (attempt' "$1/log")" = 1 ] || echo "no sum of points, or two"
    python3 -m json.tool "$1/out/results.json" >/dev/null 2>&1 || echo "results.json is not JSON"
    [ "$(wc -l <"$1/out/summary.csv")" = 2 ] || echo "summary.csv is not one row"
    ! grep -q '[[:cntrl:]]' "$1/log" "$1/out/summary.csv" || echo "control characters"
    ! grep -qiE 'cheat|dishonest|fraud|plagiar|forge|fake' "$1/log" || echo "words of blame"
    [ "$(project)" = "$project" ] || echo "the project was changed"
    for process in /proc/[0-9]*; do
        [ ! "$process/exe" -ef "$1/out/run/train" ] || echo "left: process ${process##*/}"
    done
}

as_expected() { # words, log
    local only=no expected=$1
    case $expected in only\ *) only=yes expected=${expected#only } ;; esac
    local verdict=${expected%% *} rest=${expected#* }
    case $verdict in
        full) passed "$2" ;;
        fail | pend)
            [ $only = no ] || passed "$2" || return 1
            [ "$verdict" = fail ] || grep -qE '^FAIL  (weights|equal|gradients) ' "$2" ||
                ! grep -qE '^FAIL  (training|validation) ' "$2" || return 1 # nobody has looked yet
            grep -A 1 -E "^${verdict^^}  ${rest%%:*} " "$2" | grep -qE -- "${rest#*: }" ;;
        *) false ;;
    esac
}

project=$(project)
right=0 wrong=0
declare -A good=() seconds=() all=()
for file in tests/hidden/*/*.sed tests/hidden/*/*.c; do
    class=$(basename "$(dirname "$file")") base=$(basename "$file")
    name=$class/${base%.*}
    [ $# = 0 ] || grep -qF "$(printf '%s\n' "$@")" <<<"$name" || continue
    expected=$(word expect "$file") budget=$(word seconds "$file")
    [ "$class" != harm ] || continue # tests/e2e/grade_harm.sh
    mkdir -p "$work/$name"
    case $file in
        *.c) cp "$file" "$work/$name/train.c" ;;
        *) before=$(word after "$file")
            sed -E -f "tests/hidden/${before:-honest/plain}.sed" "$work/small.c" |
                sed -E -f "$file" >"$work/$name/train.c" ;;
    esac
    all[$class]=$((${all[$class]-0} + 1))
    [ "$name" = honest/plain ] || ! cmp -s "$work/small.c" "$work/$name/train.c" ||
        { echo "NOT   $name: changes nothing"; wrong=$((wrong + 1)); continue; }
    began=$SECONDS
    "$build/assessment/grader/grade" --submission "$work/$name/train.c" "${trust[@]}" \
        --data synthetic --images 1000 --epochs 3 --budget "${budget:-90}" --device cpu \
        --np "${RANKS:-2}" \
        --rubric "$work/rubric.json" --out "$work/$name/out" >"$work/$name/log" 2>&1
    status=$?
    took=$((SECONDS - began)) harmed=$(harm "$work/$name" $status)
    seconds[$class]+=" $took"
    as_expected "$expected" "$work/$name/log" && [ -z "$harmed" ] && got=ok || got=NOT
    line=$(grep -E '^(PASS|FAIL|PEND)  (equal|gradients|images)' "$work/$name/log" |
        grep -m 1 -v ^PASS || grep -m 1 '^PASS  gradients' "$work/$name/log")
    printf '%-5s %-36s %3d s  %s\n' "$got" "$name" $took "$(cut -c 1-150 <<<"$line")"
    if [ "$got" = ok ]; then
        right=$((right + 1)) good[$class]=$((${good[$class]-0} + 1))
    else
        wrong=$((wrong + 1))
        echo "      expected $expected"
        [ -z "$harmed" ] || echo "      harm: ${harmed//$'\n'/; }"
        sed 's/^/      | /' "$work/$name/log"
    fi
done
printf '%-12s %11s %4s %10s\n' class 'as expected' of 'median s'
for class in honest broken overfitting evasion redirection injection; do
    [ -n "${all[$class]-}" ] || continue
    median=$(tr ' ' '\n' <<<"${seconds[$class]-}" | grep . | sort -n |
        awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
    printf '%-12s %11d %4d %10s\n' "$class" "${good[$class]-0}" "${all[$class]}" "$median"
done
echo "$right as expected, $wrong not"
[ $wrong = 0 ] && [ $right -gt 0 ]
