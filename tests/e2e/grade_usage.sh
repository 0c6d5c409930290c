#!/usr/bin/env bash
# Faults in the grader's own input end it with status 2 and one line; the handout and the rubric
# agree on the points.
# seconds: 600
set -u
. tests/e2e/_work.sh
refuse() { # words expected, options…
    local words=$1 status
    shift
    "$BUILD/assessment/grader/grade" --trust --data synthetic --out "$work/out" "$@" \
        >"$work/output" 2>&1
    status=$?
    [ $status = 2 ] || wrong "$*: exit $status, expected 2"
    [ "$(wc -l <"$work/output")" = 1 ] || wrong "$*: expected one line"
    grep -qF -- "$words" "$work/output" || wrong "$*: expected '$words'"
    cat "$work/output"
}
refuse 'no-such.c: No such file' --submission no-such.c
refuse '--np' --np 1
refuse '--images 20: expected 500 or more' --images 20
refuse '--images 40000: the training set has 20000' --images 40000
refuse '--data=fashion: expected auto, cifar10 or synthetic' --data fashion
change() { # sed expression, words expected
    sed -E "$1" assessment/rubric.json >"$work/rubric.json"
    refuse "$work/rubric.json: $2" --rubric "$work/rubric.json"
}
change '1d' 'line 1'
change 's/"points": 40/"points": "many"/' "validation: 'points': expected a number"
change 's/"name": "runs"/"name": "\\u001b[2J"/' "unknown criterion '\\x1b[2J'"
change 's/"name": "equal"/"name": "weights"/' "'weights' is there twice"
change 's/("epochs": .*"synthetic": )5/\10/' "epochs: 'synthetic': expected a number"
change 's/"synthetic": 0.30/"synthetic": 0.95/' "'training': 'from' must be below 'at_least'"
change 's/\["builds"\]/["validation"]/' "'runs' depends on a later criterion"
# A submission, wherever it is, finds the part for GPUs where there is one: also in the sandbox.
if "$BUILD/tests/test_vectors" --list | grep -q '^cuda\.'; then
    "$BUILD/assessment/grader/compile" assessment/train.c "$work/submission" ||
        wrong "the trainer as handed out does not compile"
    readelf -d "$work/submission" | grep -qE "R(UN)?PATH.*\[$(realpath "$BUILD")[]:]" ||
        wrong "a submission does not find labs_gpu.so"
    printf '%s\n' '#include <dlfcn.h>' \
        'int main(void) { return !dlopen("labs_gpu.so", RTLD_LAZY); }' >"$work/loads.c"
    "$BUILD/assessment/grader/grade" --submission "$work/loads.c" --trust --np 2 \
        --data synthetic --images 500 --out "$work/loads" >"$work/output" 2>&1
    # It ended with 0, and that without a gradient.
    grep -q '^FAIL  runs .*without computing a gradient' "$work/output" ||
        wrong "the sandbox hides labs_gpu.so"
fi
mkdir "$work/empty"
refuse 'no submission in it' --submission "$work/empty"

# Bubblewrap that is there and not permitted: the advice is right, and whole.
mkdir "$work/bin"
printf '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2; exit 1\n' \
    >"$work/bin/bwrap"
chmod +x "$work/bin/bwrap"
PATH=$work/bin:$PATH LABS_CONTAINER='' "$BUILD/assessment/grader/grade" --submission \
    assessment/train.c --out "$work/out" >"$work/output" 2>&1
[ $? = 2 ] || wrong "bubblewrap not permitted: expected exit 2"
grep -q 'bubblewrap is installed, .*uid map: Permission denied.*AppArmor.*ARGS=--trust' \
    "$work/output" || wrong "bubblewrap not permitted: $(cat "$work/output")"
grep -q 'install it' "$work/output" && wrong "bubblewrap not permitted: it need not be installed"

# mpirun that fails before it starts a rank is the machine's fault.
printf '#!/bin/sh\necho "PMIX ERROR: OUT-OF-RESOURCE in file x.c" >&2; exit 1\n' >"$work/bin/mpirun"
chmod +x "$work/bin/mpirun"
PATH=$work/bin:$PATH LABS_CONTAINER='' "$BUILD/assessment/grader/grade" --submission \
    assessment/train.c --trust --np 2 --data synthetic --images 500 --out "$work/out" \
    >"$work/output" 2>&1
[ $? = 2 ] || wrong "mpirun does not start: expected exit 2"
grep -q 'could not be graded: no rank was started.*grade it again' "$work/output" ||
    wrong "mpirun does not start: $(cat "$work/output")"

# What does not compile is the submission's mistake: status 1, and a table.
echo 'int main(void) { return missing; }' >"$work/broken.c"
"$BUILD/assessment/grader/grade" --submission "$work/broken.c" --trust \
    --data synthetic --images 500 \
    --out "$work/out" >"$work/output" 2>&1
[ $? = 1 ] || wrong "a file that does not compile: expected exit 1"
grep -q '^FAIL  builds         0/5    the compiler says: error: .*missing' "$work/output" ||
    wrong "a file that does not compile: its line"
cat "$work/output"
sed 's/checkpoint_save(path/checkpoint_sav(path/; s/model_new(t/model_newer(t/' assessment/train.c \
    >"$work/misspelt.c"
echo 'int helper(void) { return 1; }' >"$work/no_main.c"
for name in misspelt no_main; do
    "$BUILD/assessment/grader/grade" --submission "$work/$name.c" --trust --data synthetic \
        --images 500 --out "$work/out" >"$work/$name" 2>&1
done
cat "$work/misspelt" "$work/no_main"
line=$(grep -n 'model_newer(t' "$work/misspelt.c" | cut -d : -f 1)
# gcc 14: an error of the compiler's
said="train.c:$line: undefined reference to 'model_newer'|model_newer.*train.c:$line"
grep -qE "^FAIL  builds .*($said)" "$work/misspelt" || wrong "a misspelt function: which, and where"
grep -qE '^FAIL  builds .*, in function .*; [0-9]+ more errors?$' "$work/misspelt" ||
    wrong "a misspelt function: in which function, and how many more"
[ "$(grep -c "not judged: 'builds' comes first" "$work/no_main")" = 7 ] ||
    wrong "no main: the other criteria do not name the one that comes first"
grep -q "^FAIL  builds .* undefined .*main" "$work/no_main" || wrong "no main"

# What make passes on.
says() { # words, make's arguments…
    make -n BUILD="$BUILD" "${@:2}" 2>&1 | tr -d '\\' | tr -s ' \n' ' ' >"$work/output"
    grep -qF -- "$1" "$work/output" ||
        { wrong "make ${*:2}: expected '$1'"; tail -c 300 "$work/output"; }
}
says "/assessment/grader/grade --submission 'assessment/train.c' --trust " grade
says "/assessment/grader/grade --submission 'a b.c' --np 3 --data=synthetic '--images' '500'" \
    grade "SUBMISSION=a b.c" NP=3 DATA=synthetic ARGS="--images 500"
says "launch.sh --np=4 $BUILD/student/assessment/train --seed=5" assessment NP=4 SEED=5
if [ -d assessment/solution ]; then
    says "grade --submission '$BUILD/assessment/solution/train.c' --trust " grade SOL=1
    says "launch.sh --np=1 $BUILD/sol/assessment/train" assessment SOL=1
fi

sed -nE 's/.*"name": "([a-z]+)", "points": ([0-9]+).*/\1 \2/p' assessment/rubric.json \
    >"$work/points"
[ "$(awk '{ sum += $2 } END { print sum, NR }' "$work/points")" = '100 8' ] ||
    wrong "the rubric: expected 100 points in eight criteria"
while read -r name points; do
    grep -qE "^\| *$name *\| *$points *\|" assessment/HANDOUT.md ||
        wrong "HANDOUT.md has no row '| $name | $points |'"
done <"$work/points"
exit $failed
