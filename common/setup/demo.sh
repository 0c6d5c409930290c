#!/usr/bin/env bash
# demo.sh BUILD: the guided tour, with the reference solutions: every lab's main program, a short
# data-parallel training on real data, a graded submission. 'make demo' has built everything. Two
# and a half minutes on two cores; figures are saved as files, so no display is needed.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
b=$1; out=build/out; launch=common/setup/launch.sh; began=$SECONDS
export HEADLESS=1
export LABS_PARENT=${LABS_PARENT:-$$} # what this starts ends with it
common/setup/guard.sh watch $$
trap 'exit 130' INT
failed=0 bold='' plain=''
[ ! -t 1 ] || bold=$'\033[1m' plain=$'\033[0m'
mkdir -p $out; mark=$(date +%s) # older than the results

station() { # title, command…
    local title=$1 status; shift
    printf '\n%s== %s%s\n   %s\n' "$bold" "$title" "$plain" "$*"
    "$@"; status=$?
    [ $status = 0 ] || { echo "this station failed (exit $status)"; failed=$((failed + 1)); }
}

# Fewer points are a result, not a failed tour.
grade() { "$b/assessment/grader/grade" "$@" || [ $? = 1 ]; }

# The stations of the labs' parts.txt, with the self-check behind those of Lab 1.
for lab in lab*_*; do
    number=${lab%%_*} number=${number#lab}
    while IFS='|' read -r program ranks title options; do
        # shellcheck disable=SC2086 # words
        station "Lab $number: $title" $launch --np "$ranks" "$b/sol/$program" --out $out $options \
            </dev/null
    done < <(common/setup/parts.sh runs demo "$lab")
    [ "$number" != 1 ] ||
        station "Lab 1: the self-check of its exercises" \
            common/setup/check.sh "$b"/sol/lab1_gd/check/*
done
station "Assessment: a submission with 25 s instead of 150: it may miss points" \
    grade --submission "$b/assessment/solution/train.c" \
    --np 2 --data synthetic --budget 25 --trust

printf '\n%sThe tour took %d s. Its results:%s\n' "$bold" $((SECONDS - began)) "$plain"
find $out -maxdepth 2 -newermt "@$mark" -type f ! -name config.json ! -name .lock \
    ! -name '*.directions.*' |
    sort | sed 's/^/   /'
echo "Timelines (trace.json) open in ui.perfetto.dev. In windows: make lab1 SOL=1." \
    "Your turn: make lab1, and lab1_gd/HANDOUT.md."
[ $failed = 0 ] || { echo "$failed stations failed: see above"; exit 1; }
