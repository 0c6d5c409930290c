#!/usr/bin/env bash
# A folder of submissions, each wrong in another way: each is graded independently of the one
# before, and fails for the right reason, in the summary and with advice in its table. No process of
# a submission outlives the grader. Some of them; ALL=1: all.
# seconds: 900
# waits: yes
# sanitizers: no
set -u
. tests/e2e/_work.sh
pile=$work/pile slow=$work/slow # in the latter, what uses up its budget
mkdir -p "$pile/good" "$slow"
# Accuracies are another test's matter: here any will do.
sed -E 's/("from": )\{[^}]*\}/\1{"synthetic": 0}/; s/("batch": )\{[^}]*\}/\1{"synthetic": 64}/
    s/("at_least": )\{[^}]*\}/\1{"synthetic": 0.01}/' assessment/rubric.json >"$work/rubric.json"
small='s/"resnet8"/"mlp"/; s/\.batch = 64/.batch = 32/; s/\.name = o->model,/& .hidden = {16},/'
sed -E -f tests/hidden/conversion.sed "$BUILD/assessment/solution/train.c" |
    sed -E "$small" >"$work/small.c"
cp "$work/small.c" "$pile/good/train.c"
[ -z "${ALL-}" ] || cp "$BUILD/assessment/solution/train.c" "$pile/reference.c"
declare -A fault advice
mutant() { # name, sed expression, first fault, advice
    local file=$pile/$1.c
    case $1 in late | never_ends) file=$slow/$1.c ;; esac
    sed -E "$2" "$work/small.c" >"$file"
    ! cmp -s "$work/small.c" "$file" || wrong "$1: the expression changes nothing: $2"
    fault[$1]=$3 advice[$1]=$4
}
more() { [ -z "${ALL-}" ] || "$@"; }
mutant syntax        's/^int main/int main(/' 'the compiler says: error: ' 'build it first'
mutant no_broadcast  '/comm_broadcast/d' 'ranks 0 and 1 start from different weights' 'step 5'
more mutant no_average    '/average\(t, m->grads\)/d' \
    'after update 1 ranks 0 and 1 have different weights' 'step 6'
part='average(t, tensor_slice(m->grads, 0, m->grads.n - 9));'
more mutant part          "s/    average\\(t, m->grads\\);/    $part/" \
    'after update 1 ranks 0 and 1 have different weights' 'step 6'
more mutant self          's/comm_open\(o->run.comm\)/comm_open("self")/' \
    'ranks 0 and 1 start from different weights' 'a rank runs alone'
long=same_slice_$(printf 'x%.0s' {1..80}) # longer than a socket's path may be
mutant "$long"       's/ \+ t->comm->rank \* B;/;/' \
    "the ranks' gradients are the same" 'step 4'
more mutant half_update   's/^    sgd_step\(m, t->sgd/    if (t->comm->rank == 0 || t->at.step)&/' \
    'after update 1 ranks 0 and 1 have different weights' 'step 6'
more mutant no_update     '/^    sgd_step\(/d' \
    'the weights never move' 'an update after each gradient'
boast='printf("validation accuracy 0.9999\\n"); model_init(t->model, 99);'
mutant untrained     "/^static void save/,/^}/s/char \\*path/$boast &/" \
    'the file.s weights are not those' 'write the weights that you trained'
mutant no_file       '/^static void save/,/^}/s/checkpoint_save\(.*/(void)path;/' \
    'no file was written to --weights' 'step 9'
more mutant other_file \
    '/^static void save/,/^}/s/checkpoint_save\(.*/fclose(fopen(path, "w"));/' \
    'the weights cannot be scored: .*0 bytes' 'write them with checkpoint_save'
more mutant crash         's/^    finish\(&t\);/    abort();/' \
    'ended after [0-9.]+ s with status 134' 'its output: '
more mutant one_dies      's/^    finish\(&t\);/    if (t.comm->rank) die(3, "not this rank");/' \
    'status 3: error: not this rank' 'its output: '
more mutant hangs         's/^    finish\(&t\);/    if (t.comm->rank) comm_barrier(t.comm);/' \
    'rank 1 waits for rank 0, which has left' 'its output: '
more mutant never_ends \
    's/^    finish\(&t\);/    extern int pause(void); for (;;) pause();/' \
    'still running 5 s after the budget of ' 'does a rank hang in a collective'
idle='extern int usleep(unsigned); while (timer_now() - t.born < t.o->budget + 0.5) usleep(1000);'
mutant late          "s/^    finish\\(&t\\);/    $idle\\n&/" \
    's late: the weights written in time count' 'leave more time'
cp assessment/train.c "$work/serial.c"; sed -E "$small" "$work/serial.c" >"$pile/serial.c"
fault[serial]='ranks 0 and 1 start from different weights' advice[serial]='step 1'
# It only prints, and leaves a process behind that would write into the run's folder later.
cat >"$pile/boaster.c" <<END
#include <stdio.h>
#include <unistd.h>
int main(void) {
    printf("validation accuracy 0.9999\n"); fflush(stdout);
    if (fork() == 0) {
        setsid(); close(0); close(1); close(2); sleep(10); fclose(fopen("$work/late", "w"));
    }
    return 0;
}
END
fault[boaster]='the ranks ended without computing a gradient'
advice[boaster]='what the program prints does not count'
echo 'int main(void) { return 9; }' >"$pile/nine.c" # on all ranks at once: none is named
fault[nine]='status 9: error: a rank ended with exit status 9: all ranks were ended'
advice[nine]="make assessment NP=2"
mkdir "$pile/unreadable.c" # not even a file: the grader's error, not the submission's

# The leaks are MPI's own, in modules that are unloaded when the sanitizer looks.
export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
grade() { # folder, budget: sets status
    "$BUILD/assessment/grader/grade" --submission "$1" --trust --np 2 --data synthetic \
        --epochs 2 --images 500 --budget "$2" --rubric "$work/rubric.json" --device cpu \
        --out "$work/out/${1##*/}" >"$work/log" 2>&1
    status=$?
    cat "$work/log"
}
grade "$pile" 300
[ $status = 2 ] || wrong "exit $status, expected 2: one could not be graded"
grade "$slow" 20
[ $status = 1 ] || wrong "exit $status, expected 1"
summary=$work/out/pile/summary.csv
row() { cat "$work"/out/*/summary.csv | grep "^\"$1\","; }

[[ $(row good) == '"good",100,100,yes,5,10,5,10,10,5,15,40,'* ]] ||
    wrong "good: expected all points: $(row good)"
if [ -n "${ALL-}" ]; then
    [[ $(row reference) == '"reference",100,100,yes,5,10,5,10,10,5,15,40,'* ]] ||
        wrong "the reference: expected all points: $(row reference)"
fi
[[ $(row late) == '"late",90,100,no,5,0,5,10,10,5,15,40,'* ]] ||
    wrong "late: expected all points but those for the time: $(row late)"
for name in never_ends crash; do
    [ -z "${fault[$name]-}" ] ||
        [[ $(row $name) == "\"$name\",90,100,no,5,0,5,10,10,5,15,40,"* ]] ||
        wrong "$name: expected all points but those of 'runs': $(row $name)"
done
[[ $(row unreadable) == '"unreadable",,,error,'* ]] ||
    wrong "unreadable: expected an error: $(row unreadable)"
for name in "${!fault[@]}"; do
    [[ $(row "$name") == *',100,no,'* ]] || wrong "$name: expected not to pass: $(row "$name")"
    row "$name" | grep -qE -- "${fault[$name]}" ||
        wrong "$name: expected the fault '${fault[$name]}': $(row "$name")"
    folder=$(echo "$work"/out/*/submissions/"$name")
    grep -qE -- "${advice[$name]}" "$folder/grade.txt" ||
        { wrong "$name: no advice '${advice[$name]}'"; cat "$folder/grade.txt"; }
    [ -s "$folder/results.json" ] || wrong "$name: no results.json"
done
grep -qE 'synthetic: 450 \+ 50 images given, 2 epochs in batches of 56, scored on [0-9]+ others' \
    "$work/out/pile/submissions/good/grade.txt" || wrong "good: which images is not said"
grep -q 'valid_accuracy' "$work/out/pile/submissions/good/metrics.csv" ||
    wrong "good: its metrics.csv, which its work log cites, was not kept"
[ -z "$(find "$work/out" -name data)" ] || wrong "images were left behind"
there=$(find "$pile" -mindepth 1 -maxdepth 1 | wc -l)
[ "$(wc -l <"$summary")" = $((there + 1)) ] ||
    wrong "summary.csv: expected a row for each of $there submissions, and a header"
results=$work/out/pile/submissions/good/results.json
for line in '  "score": 100.0,' '  "execution_time": [0-9]+,' \
    '      "max_score": 40.0,' '      "status": "passed",' '      "visibility": "visible",'; do
    grep -qE "^$line\$" "$results" || wrong "results.json has no line '$line'"
done
[ "$(grep -cE '^ {2,6}"score"' "$results")" = 9 ] ||
    wrong "results.json: expected a score and those of eight tests"
grep -q '"status": "failed"' "$work/out/pile/submissions/serial/results.json" ||
    wrong "the serial program: no failed test in results.json"
grep -qE '^FAIL  validation +0/40 .*no points without .equal.' \
    "$work/out/pile/submissions/serial/grade.txt" || wrong "the serial program gets points"
for name in serial nine; do # the evidence of a training that broke off says nothing
    for criterion in gradients images; do
        grep -qE "^FAIL  $criterion .*not judged: 'equal' comes first" \
            "$work/out/pile/submissions/$name/grade.txt" || wrong "$name: $criterion is judged"
    done
done
[ "$(awk -F, 'NR == 1 { print NF }' "$summary")" = 18 ] || wrong "summary.csv: columns"
[ ! -e "$work/late" ] || wrong "a process of a submission outlived the grading"
# The pattern is read from a file: grep's own command line does not have it.
echo "$work/out/" >"$work/pattern"
left=$(grep -lasF -f "$work/pattern" /proc/[0-9]*/cmdline)
[ -z "$left" ] ||
    wrong "processes are left: $(for file in $left; do tr '\0' ' ' <"$file"; echo; done)"
exit $failed
