#!/usr/bin/env bash
# The grader passes the reference, on synthetic images that are drawn for it, also in results.json;
# weights that were never trained fail, whatever the program prints. Few images, so low thresholds;
# guessing gives 0.10. Other faults: grade_pile.sh.
# seconds: 900
# sanitizers: no
set -u
[ -z "${SAN:-}" ] ||
    { echo "skipped: too slow with sanitizers (grade_pile runs the grader with them)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "wrong: $*"; failed=1; }
sed -E 's/("from": )\{[^}]*\}/\1{"synthetic": 0.15}/
    s/("at_least": )\{[^}]*\}/\1{"synthetic": 0.20}/' assessment/rubric.json >"$work/rubric.json"

grade() { # name, sed expression, source: sets $status
    sed -E "$2" "$3" >"$work/$1.c"
    LABS_SECRET=1 "$BUILD/assessment/grader/grade" --trust --submission "$work/$1.c" \
        --np 2 --data synthetic --images 1000 --epochs 6 \
        --budget 300 --rubric "$work/rubric.json" --device cpu --out "$work/$1" "${@:4}" \
        >"$work/$1.txt" 2>&1
    status=$?
    cat "$work/$1.txt"
}
says() { grep -qE -- "$2" "$work/$1.txt" || wrong "$1: the table does not say '$2'"; }

grade reference '' assessment/solution/train.c
[ $status = 0 ] || wrong "the reference: exit $status, expected 0"
[ "$(grep -c '^PASS ' "$work/reference.txt")" = 8 ] ||
    wrong "the reference: expected eight lines PASS"
says reference '^100 of 100 points '
says reference 'synthetic: 900 \+ 100 images given, 6 epochs, scored on 200 others'
results=$work/reference/results.json
for line in '  "score": 100.0,' '  "execution_time": [0-9]+,' \
    '      "max_score": 40.0,' \
    '      "status": "passed",' '      "visibility": "visible",'; do
    grep -qE "^$line\$" "$results" || wrong "results.json has no line '$line'"
done
[ "$(grep -cE '^ {2,6}"score"' "$results")" = 9 ] ||
    wrong "results.json: expected a score and those of eight tests"
[ ! -e "$work/reference/run/data" ] || wrong "the images were left behind"

# It trains, prints what it likes, and writes a network that it has not trained.
boast='printf("validation accuracy 0.9999\\n"); model_init(t->model, 99);'
grade untrained "s/\"resnet8\"/\"mlp\"/; /^static void save/,/^}/s/char \\*path/$boast &/" \
    assessment/solution/train.c
[ $status = 1 ] || wrong "untrained weights: exit $status, expected 1"
says untrained '^PASS  equal '
says untrained '^PEND  gradients .* the file.s weights are not those'
says untrained '^FAIL  validation +0/40 '
exit $failed
