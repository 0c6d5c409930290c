#!/usr/bin/env bash
# hidden.sh BUILD [NAME…]: submissions that the grader must judge as expected:
# tests/hidden/CLASS/*.sed, each a change of the reference, with the lines
#
#     # what it does
#     # expect: full | fail CRITERION: WORDS | pend CRITERION: WORDS
#
# full: all points for sharing; fail, pend: this criterion, with these words (a regular expression)
# in its line or advice. Classes: honest, broken, and three kinds of dishonesty (Kratzke: evasion,
# redirection, injection); the fourth, what is learned by heart, meets images that are drawn anew
# (redirection/known_seed, other_start). NAME: only files with this in their name. All run in the
# grader's sandbox where one works. Ends with a count for each class and "N as expected, N not".
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$1; shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
# Accuracies are another test's matter.
sed -E 's/("from": )\{[^}]*\}/\1{"synthetic": 0}/
    s/("at_least": )\{[^}]*\}/\1{"synthetic": 0.01}/' assessment/rubric.json >"$work/rubric.json"
sed -E 's/"resnet8"/"mlp"/; s/\.batch = 64/.batch = 32/' assessment/solution/train.c >"$work/small.c"
right=0 wrong=0
declare -A good bad
echo "in: $(assessment/grader/sandbox.sh works || echo no sandbox)"
for change in tests/hidden/*/*.sed; do
    name=$(basename "$(dirname "$change")")/$(basename "$change" .sed)
    [ $# = 0 ] || grep -qF "$(printf '%s\n' "$@")" <<<"$name" || continue
    expected=$(sed -n 's/^# expect: //p' "$change")
    mkdir -p "$work/$name"
    sed -E -f "$change" "$work/small.c" >"$work/$name/train.c"
    [ "$name" = honest/plain ] || ! cmp -s "$work/small.c" "$work/$name/train.c" ||
        { echo "NOT   $name: changes nothing"; wrong=$((wrong + 1)); continue; }
    class=${name%%/*}
    began=$SECONDS
    "$build/assessment/grader/grade" --submission "$work/$name/train.c" --trust --data synthetic \
        --images 1000 --epochs 3 --budget 40 --rubric "$work/rubric.json" --device cpu \
        --out "$work/$name/out" >"$work/$name/log" 2>&1
    verdict=${expected%% *} rest=${expected#* }
    case $verdict in
        full) [ "$(grep -cE '^PASS  (equal|gradients|images)' "$work/$name/log")" = 3 ] ;;
        fail | pend)
            grep -A 1 -E "^${verdict^^}  ${rest%%:*} " "$work/$name/log" |
                grep -qE -- "${rest#*: }" ;;
        *) false ;;
    esac && got=ok || got=NOT
    line=$(grep -E '^(PASS|FAIL|PEND)  (equal|gradients|images)' "$work/$name/log" |
        grep -m 1 -v ^PASS || grep -m 1 '^PASS  gradients' "$work/$name/log")
    printf '%-5s %-32s %3d s  %s\n' $got "$name" $((SECONDS - began)) "$(cut -c 1-150 <<<"$line")"
    if [ $got = ok ]; then right=$((right + 1)) good[$class]=$((${good[$class]:-0} + 1)); else
        wrong=$((wrong + 1)) bad[$class]=$((${bad[$class]:-0} + 1)); echo "      expected $expected"; sed 's/^/      | /' "$work/$name/log"
    fi
done
for class in honest broken evasion redirection injection; do
    [ -z "${good[$class]-}${bad[$class]-}" ] ||
        echo "$class: ${good[$class]:-0} as expected, ${bad[$class]:-0} not"
done
echo "$right as expected, $wrong not"
[ $wrong = 0 ] && [ $right -gt 0 ]
