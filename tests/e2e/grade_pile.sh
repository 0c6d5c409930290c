#!/usr/bin/env bash
# A folder of submissions, each wrong in another way: each is graded whatever the one before it did, and fails for the right reason, in the summary and
# with advice in its table. Nothing that a submission started is left when the grader ends.
# seconds: 900
# sanitizers: no
set -u
work=$(mktemp -d)
pile=$work/pile
failed=0
wrong() { echo "wrong: $*"; failed=1; }
mkdir -p "$pile/good"
# Accuracies are the matter of another test: here any will do.
sed -E 's/("from": )\{[^}]*\}/\1{"synthetic": 0}/; s/("at_least": )\{[^}]*\}/\1{"synthetic": 0.01}/' assessment/rubric.json >"$work/rubric.json"
small='s/\.init_seed = -1/.init_seed = -1, .epochs = 2/; s/"resnet8"/"mlp"/'
sed -E "$small" assessment/solution/train.c >"$work/small.c"
cp "$work/small.c" "$pile/good/train.c"
declare -A fault advice
mutant() { # name, sed expression, first fault, advice
    sed -E "$2" "$work/small.c" >"$pile/$1.c"
    ! cmp -s "$work/small.c" "$pile/$1.c" || wrong "$1: the expression changes nothing: $2"
    fault[$1]=$3 advice[$1]=$4
}
mutant syntax        's/^int main/int main(/' 'the compiler says: error: ' 'build it here first'
mutant no_broadcast  '/comm_broadcast/d' 'ranks 0 and 1 start from different weights' 'step 5'
mutant no_average    '/average\(t, m->grads\)/d' 'each rank trained alone: rank 0 all-reduced 0 numbers' 'step 6'
mutant own_average   's/    average\(t, m->grads\);/    average(t, tensor_slice(m->grads, 0, m->grads.n - 9)); average(t, tensor_slice(m->grads, 0, 9));/' 'after update 1 ranks 0 and 1 have different weights' 'step 6'
mutant self          's/comm_open\(o->run.comm\)/comm_open("self")/' 'each rank trained alone: rank 0 says that it is one of 1' 'step 1'
mutant same_part     's/ \+ t->comm->rank \* B;/;/' '100 % of the pictures of an epoch are trained on by more than one rank' 'step 4'
mutant half_update   's/^    sgd_step\(m, t->sgd, rate\);/    if (t->comm->rank == 0 || t->at.step) sgd_step(m, t->sgd, rate);/' 'rank 0 made [0-9]+ updates, rank 1 made ' 'step 4'
mutant no_update     '/^    sgd_step\(/d' 'no rank made an update' 'sgd_step after each backward pass'
mutant no_file       '/^static void save/,/^}/s/checkpoint_save\(.*/(void)path;/' 'no file was written to --weights' 'step 9'
mutant other_file    '/^static void save/,/^}/s/checkpoint_save\(.*/fclose(fopen(path, "w"));/' 'the weights cannot be scored: .*0 bytes' 'write them with checkpoint_save'
mutant crash         's/^    finish\(&t\);/    abort();/' 'ended after [0-9.]+ s with status 134' 'its output: '
mutant one_dies      's/^    finish\(&t\);/    if (t.comm->rank) die(3, "a rank that has enough");/' 'status 3: error: a rank that has enough' 'its output: '
mutant waits         's/^    finish\(&t\);/    if (t.comm->rank) comm_barrier(t.comm);/' 'still running 5 s after the budget of ' 'so killed|does a rank wait for ever'
cp assessment/train.c "$work/serial.c"; sed -E "$small" "$work/serial.c" >"$pile/serial.c"
fault[serial]='each rank trained alone: process 0 never started' advice[serial]='step 1'
# It only talks, and leaves a process behind that would write into the run's folder later.
printf '%s\n' '#include <stdio.h>' '#include <unistd.h>' 'int main(void) {' '    printf("validation accuracy 0.9999\n"); fflush(stdout);' \
    "    if (fork() == 0) { setsid(); close(0); close(1); close(2); sleep(10); fclose(fopen(\"$work/late\", \"w\")); }" '    return 0; }' >"$pile/talker.c"
fault[talker]='no file was written to --weights' advice[talker]='what the program prints counts for nothing'
mkdir "$pile/unreadable.c" # not even a file: the grader's error, not the submission's

export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 # MPI's own, of modules that are gone when they are looked for
budget=25
[ -z "${SAN:-}" ] || budget=60
assessment/grader/grade.sh "$BUILD/assessment/grader/grade" "$pile" --np 2 --data synthetic --images 500 --budget $budget \
    --rubric "$work/rubric.json" --device cpu --out "$work/out" >"$work/log" 2>&1
status=$?
cat "$work/log"
[ $status = 2 ] || wrong "exit $status, expected 2: one could not be graded"
summary=$work/out/summary.csv
row() { grep "^\"$1\"," "$summary"; }

[[ $(row good) == '"good",100,100,yes,5,10,5,25,15,40,'* ]] || wrong "good: expected all points: $(row good)"
[[ $(row unreadable) == '"unreadable",,,error,'* ]] || wrong "unreadable: expected an error: $(row unreadable)"
for name in "${!fault[@]}"; do
    [[ $(row "$name") == *',100,no,'* ]] || wrong "$name: expected not to pass: $(row "$name")"
    row "$name" | grep -qE -- "${fault[$name]}" || wrong "$name: expected the fault '${fault[$name]}': $(row "$name")"
    grep -qE -- "${advice[$name]}" "$work/out/$name/grade.txt" || { wrong "$name: no advice '${advice[$name]}'"; cat "$work/out/$name/grade.txt"; }
    [ -s "$work/out/$name/results.json" ] || wrong "$name: no results.json"
done
[ "$(wc -l <"$summary")" = $((${#fault[@]} + 3)) ] || wrong "summary.csv: expected a line for each of $((${#fault[@]} + 2)) submissions, and a header"
[ "$(awk -F, 'NR == 1 { print NF }' "$summary")" = 14 ] || wrong "summary.csv: columns"
[ ! -e "$work/late" ] || wrong "a process of a submission went on after the grading"
# The pattern is read from a file: grep's own command line does not have it.
echo "$work/out/" >"$work/pattern"
left=$(grep -lasF -f "$work/pattern" /proc/[0-9]*/cmdline)
[ -z "$left" ] || wrong "processes are left: $(for file in $left; do tr '\0' ' ' <"$file"; echo; done)"
exit $failed
