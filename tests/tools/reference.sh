#!/usr/bin/env bash
# reference.sh BUILD RUNS [OPTIONS OF THE GRADER…]: is the assessment's bar where it should be? The
# reference, graded RUNS times, each with different images, labels and seeds, must get all points
# with a quarter of the time to spare; the program as it is handed out, once, must not pass. Prints
# the spread of seconds and accuracies, and the budget for this machine that follows from them. Ends
# with "N of RUNS".
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
build=$1 runs=$2
shift 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
value() { # key
    sed -nE "s/^ *\"$1\": ([0-9.]+),?$/\1/p" "$work/out/results.json" | tail -n 1
}
grade() { # source, options…
    rm -rf "$work/out"
    "$build/assessment/grader/grade" --submission "$1" --trust --out "$work/out" "${@:2}" \
        >"$work/log" 2>&1
}
spread() { # numbers on stdin: the middle one, and the ends
    sort -n |
        awk '{ v[NR] = $1 } END { printf "%g (%g to %g)\n", v[int((NR + 1) / 2)], v[1], v[NR] }'
}
budget='' passed=0
for run in $(seq "$runs"); do
    grade "$build/assessment/solution/train.c" "$@"
    status=$?
    seconds=$(value seconds) accuracy=$(value validation_accuracy)
    budget=$(sed -nE 's/.*"conditions": "[0-9]+ ranks, ([0-9]+) s,.*/\1/p' "$work/out/results.json")
    in_time=$(awk -v s="${seconds:-1e9}" -v b="${budget:-0}" 'BEGIN { print s <= 0.75 * b }')
    printf 'run %2d  %s ranks  %s of 100 points  %5.1f s of %s  training %s  validation %s\n' \
        "$run" "$(sed -nE 's/.*"conditions": "([0-9]+) ranks.*/\1/p' "$work/out/results.json")" \
        "$(sed -nE 's/^  "score": ([0-9.]+),/\1/p' "$work/out/results.json")" "$seconds" "$budget" \
        "$(value training_accuracy)" "$accuracy"
    if [ $status = 0 ] && [ "$in_time" = 1 ]; then passed=$((passed + 1)); else
        sed 's/^/      | /' "$work/log"; fi
    echo "$seconds" >>"$work/seconds"
    echo "$accuracy" >>"$work/accuracies"
done
echo "seconds    $(spread <"$work/seconds") of $budget"
echo "budget     $(sort -n "$work/seconds" |
    awk 'END { print 10 * int($1 / 0.75 / 10 + 1) }') s would leave the slowest a quarter of it"
echo "validation $(spread <"$work/accuracies")"
grade assessment/train.c "$@"
[ $? = 1 ] || { echo "the program as handed out passes, or cannot be graded"; passed=0; }
echo "as handed out: $(tail -n 2 "$work/log" | head -n 1)"
grep '^FAIL  equal' "$work/log"
echo "$passed of $runs"
[ "$passed" = "$runs" ]
