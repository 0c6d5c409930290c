#!/usr/bin/env bash
# Gradescope's container: what autograder.zip holds, and a submission graded as there, by root
# without bubblewrap: it runs as another user and reaches neither the grader nor the results.
# all: yes
# seconds: 600
# sanitizers: no
set -u
. tests/e2e/_work.sh
skip() { echo "skipped: $*"; exit 77; }
make autograder-zip BUILD="$work/zip" >"$work/log" 2>&1 ||
    { grep -q 'neither zip nor python3' "$work/log" && skip "neither zip nor python3"
        cat "$work/log"; wrong "make autograder-zip"; exit 1; }
cat "$work/log"
for file in labs.tar.gz setup.sh run_autograder; do
    grep -qa "$file" "$work/zip/autograder.zip" || wrong "autograder.zip has no $file"
done
[ "$(id -u)" = 0 ] || skip "not root, as Gradescope is"
type -P setpriv >/dev/null || skip "no setpriv"
unshare --mount true 2>/dev/null || skip "mount namespaces are not allowed"
[ ! -e /submission ] || skip "/submission is there"
trap 'rm -rf /submission' EXIT

place=$work/autograder labs=$work/autograder/labs
mkdir -p "$labs/build/assessment/grader" "$place/source" "$place/results" "$place/submission"
chmod 755 "$work"
cp -a common assessment "$labs"
cp -a "$BUILD/libcommon.a" "$labs/build"
for file in labs_gpu.so gpu_calls; do
    [ ! -e "$BUILD/$file" ] || cp -a "$BUILD/$file" "$labs/build"
done
cp -a "$BUILD/assessment/grader/grade" "$labs/build/assessment/grader"
sed "s,$BUILD/,build/,g" "$BUILD/assessment/grader/compile" >"$labs/build/assessment/grader/compile"
chmod +x "$labs/build/assessment/grader/compile"

autograde() { # source
    rm -rf "$place/submission" "$place/results"
    mkdir -p "$place/submission"
    cp "$1" "$place/submission/train.c"
    unshare --mount bash -c '
        [ ! -e /usr/bin/bwrap ] || mount --bind /bin/false /usr/bin/bwrap || exit 77
        AUTOGRADER=$1 "$1/labs/assessment/kit/run_autograder" --data synthetic --images 500 \
            --epochs 2 --budget 30 --device cpu' autograde "$place"
    [ $? != 77 ] || skip "a file cannot be hidden by a mount"
    cat "$place/results/grade.log"
}
score() { grep -m 1 '"score"' "$place/results/results.json" | tr -cd '0-9.'; }

sed 's/"resnet8"/"mlp"/; s/\.name = o->model,/& .hidden = {16},/' \
    "$BUILD/assessment/solution/train.c" >"$work/train.c"
autograde "$work/train.c"
grep -q 'another user, in a container' "$place/results/grade.log" || wrong "which sandbox was it?"
grep -q '^PASS  weights' "$place/results/grade.log" || wrong "the trainer's weights do not arrive"
grep -q '^PASS  gradients' "$place/results/grade.log" || wrong "the reference does not pass"
awk -v s="$(score)" 'BEGIN { exit !(s >= 20) }' || wrong "score: $(score)"

cat >"$work/attack.c" <<END
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    const char *closed[] = {"$labs/assessment/rubric.json", "$place/results/results.json",
                            "$place/results/grade/results.json", "$place/submission/train.c",
                            "$labs/build/assessment/grader/grade"};
    for (int i = 0; i < 5; i++) {
        if (access(closed[i], R_OK) == 0 || fopen(closed[i], "a"))
            printf("reached %s\n", closed[i]);
    }
    if (opendir("$place") && opendir("$place/results"))
        printf("reached the results\n");
    if (getuid() == 0 || setuid(0) == 0)
        printf("reached root\n");
    printf("all tried\n");
    return 0;
}
END
autograde "$work/attack.c"
log=$place/results/grade/run.log
grep -q 'all tried' "$log" || wrong "the attack did not run: $(tail -n 3 "$log")"
! grep '^reached' "$log" || wrong "it reached more than it should"

echo 'int main(' >"$work/broken.c"
autograde "$work/broken.c"
grep -q 'the compiler says' "$place/results/results.json" || wrong "no word of the compiler"
cp "$work/broken.c" "$place/submission/other.c"
AUTOGRADER=$place "$labs/assessment/kit/run_autograder"
grep -q 'hand in one C file, train.c.*: found 2 in: ' "$place/results/results.json" ||
    wrong "two files"
rm "$place/submission/other.c"
AUTOGRADER=$place "$labs/assessment/kit/run_autograder" --np 1 >"$work/out" &&
    wrong "a grader that cannot grade"
grep -q 'could not grade it: error: --np' "$work/out" || wrong "no word of why"
[ ! -e "$place/results/results.json" ] || wrong "a score where the grader could not grade"
exit $failed
