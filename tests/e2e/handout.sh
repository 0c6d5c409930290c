#!/usr/bin/env bash
# The students' tarball: the same bytes each time, no solutions, and nothing in it solves an
# exercise, under any names; a class's differs in its numbers alone; what its list does not know is
# left out, by name; an exercise that somebody has filled in stops it. A corrected tarball leaves a
# student's work as it is. With ALL=1: a disguised copy of each solution is found; and it works
# where it is unpacked: help, lab, check; a new lab is picked up.
# seconds: 600
# sanitizers: no
# ranks: 0
set -eu
. tests/e2e/_work.sh

make handout BUILD="$work/a" >"$work/log"; cat "$work/log"
! grep 'left out' "$work/log" || fail "common/setup/handout.txt does not know the files above"
make handout BUILD="$work/b" >/dev/null
cmp "$work/a/handout/labs.tar.gz" "$work/b/handout/labs.tar.gz" ||
    fail "two tarballs of the same files differ"
tar -xzf "$work/a/handout/labs.tar.gz" -C "$work"
labs=$work/labs

# Of a class: other numbers, and no other difference.
make handout BUILD="$work/b" CLASS=2027 >"$work/log"; tail -n 1 "$work/log"
mkdir "$work/class"; tar -xzf "$work/b/handout/labs.tar.gz" -C "$work/class"
diff -rq "$labs" "$work/class/labs" | sed 's/ differ$//; s,.*/labs/,,' >"$work/log" || true
printf '%s\n' common/setup/files.sha256 lab1_gd/HANDOUT.md lab1_gd/check/99_answers_check.c \
    lab2_ddp/HANDOUT.md lab2_ddp/check/99_answers_check.c lab2_ddp/exercises/answers.txt \
    lab3_scale/HANDOUT.md lab3_scale/check/99_answers_check.c |
    diff - "$work/log" || fail "a class's tarball differs in the files above"
ls "$work"/b/handout/class_2027/lab{1_gd,2_ddp,3_scale}/solution/answers.txt

find "$labs" | sed "s,^$labs,," >"$work/files"
for file in Makefile README.md LICENSE AGENTS.md lab2_ddp/worklog.md common/backend.h \
    common/setup/deps.sh lab2_ddp/1_ranks.c \
    lab2_ddp/3_train.c lab2_ddp/exercises/2b_all_reduce_ring.c tests/bench/bench.c; do
    grep -qx "/$file" "$work/files" || fail "$file is not in it"
done
if grep -E '/(solution|\.ci|\.git)(/|$)' "$work/files" ||
    grep '^/tests/.*/' "$work/files" | grep -v '^/tests/bench/'; then
    fail "the files above should not be in it"
fi

! grep -E '^[|~+] ' "$labs"/lab*/check/mistakes.txt || fail "edits of the references are in it"
status=0; tests/tools/shapes.py "$labs" >"$work/clean" || status=$?
cat "$work/clean"
[ $status = 0 ] || fail "the functions above solve an exercise (see tests/tools/shapes.py)"
# One product, one call or three assignments: nobody can tell whose it is. No other may hide among
# them.
short=$(sed -n 's/^too short to tell: .*(\(.*\))$/\1/p' "$work/clean" | sort -u | tr '\n' ' ')
expected="add_up chunk_begin finish global_batch main rising synchronise update value "
[ "$short" = "$expected" ] || fail "too short to tell: $short"

# What others leave behind in a maker's folder.
mkdir "$work/makers"
tar -c --exclude=./build --exclude=./data --exclude=./.git . | tar -x -C "$work/makers"
handout() { # status, words on its output
    local status=0
    rm -rf "$work/v2"
    make -C "$work/makers" handout BUILD="$work/v2" DEPS=no >"$work/log" 2>&1 || status=$?
    if [ $status != "$1" ] || ! grep -qF -- "$2" "$work/log"; then
        fail "handout: status $status, expected $1 with '$2'"
    fi
    [ "$1" = 0 ] || [ ! -e "$work/v2/handout/labs.tar.gz" ] || fail "$2, and yet a tarball"
}
planted=(lab1_gd/exercises/1a_gradient.c.orig 'lab1_gd/exercises/1a_gradient (1).c' notes.txt
    lab2_ddp/solution_2025/2b.c assessment/train_reference.c common/base/zz.c old/lab1.zip)
exercise=lab1_gd/exercises/1b_update.c
(
    cd "$work/makers"
    for file in "${planted[@]}"; do mkdir -p "$(dirname "$file")"; echo 'int x;' >"$file"; done
    handout 0 "no solutions"
    for file in "${planted[@]}"; do
        grep -qxF "left out, not in common/setup/handout.txt: $file" "$work/log" ||
            fail "$file: not named"
    done
    tar -tzf "$work/v2/handout/labs.tar.gz" | sed 's,^labs,,' | sort >"$work/names"
    grep -v '/$' "$work/files" | while read -r file; do [ -d "$labs$file" ] || echo "$file"; done |
        sort | diff - "$work/names" || fail "the tarball has other files than before"

    bodies=('if (0) TODO("x"); w[0] = 1;')
    [ -z "${ALL-}" ] || bodies+=('return a - 1;' 'TODO("");}int f(void){return 1;' 'int x = 1;')
    for body in "${bodies[@]}"; do
        cp $exercise "$work/given"
        sed -i "s/^    TODO(.*/    $body/" $exercise
        handout 2 "$exercise: filled in"
        cp "$work/given" $exercise
    done
    echo >>assessment/train.c; handout 2 'assessment/train.c: not as it is given'
    cp "$OLDPWD/assessment/train.c" assessment/
    mv common/timer.h "$work/"; handout 2 'common/timer.h: '
    ln -s "$work/timer.h" common/timer.h; handout 2 'common/timer.h: '
    rm common/timer.h; mv "$work/timer.h" common/

    # A corrected tarball: two files have changed, one is new, one is gone.
    sed -i 's/^    TODO("/&corrected: /' $exercise
    echo '/* corrected */' >>common/timer.h
    echo new >docs/errata.md
    sed -i 's/^docs: /&errata.md /; s/ lambda\.h / /; s/ gpu\.md / /' common/setup/handout.txt
    handout 0 "no solutions"
)
update() { # status, words
    local status=0
    make -C "$labs" update TARBALL="$3" DEPS=no BUILD="$work/u" >"$work/log" 2>&1 || status=$?
    if [ $status != "$1" ] || ! grep -qF -- "$2" "$work/log"; then
        fail "update: status $status, expected $1 with '$2'"
    fi
    [ ! -e "$labs/.update" ] || fail "$2: .update is left"
}
state() { (cd "$labs" && find . -printf '%y %p %l\n' -type f -exec sha256sum '{}' + | sort); }
cp -r "$labs" "$work/fresh" # for what follows
labs=$work/fresh
cp lab1_gd/solution/1a_gradient.c "$labs/lab1_gd/exercises/" # done, and not corrected
cp lab1_gd/solution/1b_update.c "$labs/$exercise" # done, and corrected
echo '/* mine */' >>"$labs/common/check.h"
echo mine >"$labs/lab1_gd/my notes.txt"
rm "$labs/docs/convolution.md"
new=$work/v2/handout/labs.tar.gz
state >"$work/before"
head -c 100000 "$new" >"$work/short.tar.gz"
echo text >"$work/text.tar.gz"
mkdir -p "$work/bad"; tar -xzf "$new" -C "$work/bad"
echo x >>"$work/bad/labs/Makefile"; tar -czf "$work/changed.tar.gz" -C "$work/bad" labs/Makefile \
    labs/common/setup/files.sha256
ln -s /etc/passwd "$work/bad/labs/link"
(cd "$work/bad" && find labs -type f -o -type l) | tar -czf "$work/link.tar.gz" -C "$work/bad" -T -
tar -czPf "$work/above.tar.gz" --transform='s,^labs/README.md,labs/../../evil,' -C "$work/bad" \
    labs/README.md labs/common/setup/files.sha256
update 2 'which tarball?' ''
update 2 'none.tar.gz: no such file' "$work/none.tar.gz"
update 2 'no such file' "$work"
update 2 'short.tar.gz: ' "$work/short.tar.gz"
update 2 'text.tar.gz: not in gzip format' "$work/text.tar.gz"
update 2 'changed.tar.gz: a file in it does not match' "$work/changed.tar.gz"
update 2 'link.tar.gz: not a tarball of these labs' "$work/link.tar.gz"
update 2 'above.tar.gz: not a tarball of these labs' "$work/above.tar.gz"
state | diff "$work/before" - || fail "a tarball that was refused has changed the above"
update 0 '1 files replaced, 2 added, 1 removed; 3 that you have changed stay' "$new"
grep -F "$exercise: yours stays; the new version is beside it: 1b_update.c.new" "$work/log" ||
    fail "the exercise that was corrected is not named"
cmp lab1_gd/solution/1a_gradient.c "$labs/lab1_gd/exercises/1a_gradient.c"
cmp lab1_gd/solution/1b_update.c "$labs/$exercise"
cmp "$work/makers/$exercise" "$labs/$exercise.new"
cmp "$work/makers/common/timer.h" "$labs/common/timer.h"
[ "$labs/common/timer.h" -nt "$labs/Makefile" ] || fail "make would not see what has changed"
cmp docs/convolution.md "$labs/docs/convolution.md"
[ "$(cat "$labs/docs/errata.md" "$labs/lab1_gd/my notes.txt")" = $'new\nmine' ]
tail -n 1 "$labs/common/check.h" | grep -x '/\* mine \*/'
[ ! -e "$labs/docs/gpu.md" ] || fail "docs/gpu.md is still there"
state >"$work/before"
update 0 '0 files replaced, 0 added, 0 removed; 3 that you have changed stay' "$new"
state | diff "$work/before" - || fail "a second update has changed the above"
sed -i 's/$/\r/' "$labs"/common/*.h "$labs"/lab?_*/*/*.c; : >"$labs/common/setup/files.sha256"
update 2 "Windows line endings?" "$new"
rm "$labs/common/setup/files.sha256"
update 2 "no common/setup/files.sha256 here" "$new"
labs=$work/labs
[ -n "${ALL-}" ] || exit 0

# A disguised copy of each solution: each of its answers is found in that copy, at its place.
mkdir "$work/planted"; cp -r "$labs/." "$work/planted/"
planted=()
for solution in */solution/*.c "$BUILD"/*/solution/*.c; do
    copy=zz_planted_$(echo "${solution#"$BUILD/"}" | tr / _)
    planted+=("$solution" "$work/planted/common/$copy")
done
tests/e2e/disguise.py "${planted[@]}"
if grep -wE 'order|now|tick|weight|arrived|comm|rank' "$work"/planted/common/zz_planted_*; then
    fail "the names above are still the solutions'"
fi
# An answer is found too where it is no function of a program: in a comment, a macro, a handout.
tests/e2e/disguise.py lab1_gd/solution/*busy.c "$work/answer"
{ echo '/* Like this:'; cat "$work/answer"; echo '*/'; } >"$work/planted/common/zz_comment.h"
echo "#define ANSWER $(cat "$work/answer")" >"$work/planted/common/zz_macro.h"
{ echo '```c'; cat "$work/answer"; echo '```'; } >"$work/planted/common/zz_handout.md"
status=0; tests/tools/shapes.py "$work/planted" >"$work/found" || status=$?
cat "$work/found"
[ $status = 1 ] || fail "status $status with copies of all solutions"
for place in comment.h:1 macro.h:1 handout.md:1; do
    grep -q "^common/zz_$place .*busy" "$work/found" || fail "the answer in $place is not found"
done
answers=$(sed -n 's/^\([0-9]*\) answers of .*/\1/p' "$work/found")
found=0
for solution in */solution/*.c "$BUILD"/*/solution/*.c; do
    solution=${solution#"$BUILD/"}
    copy=common/zz_planted_$(echo "$solution" | tr / _)
    names=$(sed -n "s,^$copy:[0-9]* (planted_\(.*\)): .* of $solution (\1)\$,\1,p" "$work/found")
    [ -n "$names" ] || grep -q "^too short to tell: $solution" "$work/found" ||
        fail "the copy of $solution is not found"
    found=$((found + $(wc -w <<<"$names")))
done
[ "$found" = "$answers" ] || fail "of $answers answers copied only $found are found"
# How it is called: no such folder, no solutions.
for call in "$work/none" "$work/labs --solutions $work" ""; do
    # shellcheck disable=SC2086
    status=0; tests/tools/shapes.py $call 2>"$work/usage" || status=$?
    [ $status = 2 ] && grep -q '^usage: ' "$work/usage" || fail "shapes.py $call: status $status"
done

project=$PWD
# It works there; -O0 and one small network keep this short.
cd "$labs"
export CFLAGS=-O0 DEPS=no
unset CI SAN BUILD
# The README's commands, typed as they stand there.
grep -E '^    make ' README.md | sed 's/ *#.*//; s/^ *//' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 3 ] || fail "README.md has no commands to start with"
while read -r command; do
    HEADLESS=1 bash -c "$command" </dev/null >"$work/typed.log" 2>&1 ||
        { cat "$work/typed.log"; fail "README.md says to type '$command'"; }
    cat "$work/typed.log" >>"$work/built.log"
    echo "ok: $command"
done <"$work/commands"
named='`[a-z0-9_]+/[A-Za-z0-9_./]*`|\(docs/[a-z0-9_.]*\)'
for file in $(grep -oE "$named" README.md | tr -d '`()'); do
    case $file in build/* | data/*) continue ;; esac
    [ -e "$file" ] || compgen -G "*/$file" >/dev/null || # in each lab
        fail "README.md names $file, which is not there"
done

make help >"$work/help.log"; grep -q '^  lab2 ' "$work/help.log" || fail "make help"
make lab2 ONLY=3_train DATA=synthetic \
    ARGS="--model linear --epochs 1 --images 512 --test-images 256" >"$work/lab2.log" 2>&1 ||
    { cat "$work/lab2.log"; fail "make lab2"; }
grep -i 'accuracy' "$work/lab2.log" || fail "make lab2 reports no accuracy"
cat "$work/lab2.log" >>"$work/built.log"
# Counted before it begins: the last step is the last of that number.
files=$(sed -n 's/^building \([0-9]*\) files$/\1/p' "$work/built.log" | head -n 1)
grep -q "^\[$files/$files\]  LINK  " "$work/built.log" ||
    { grep '^\[' "$work/built.log"; fail "the first build has not the $files steps that it says"; }
if grep -A 5 'warning:' "$work/built.log"; then fail "the students' build warns, see above"; fi
if make lab2 SOL=1 >"$work/sol.log" 2>&1; then fail "SOL=1 works without solutions"; fi
grep 'no reference solutions here' "$work/sol.log" || fail "SOL=1 does not say what is missing"

# As a student: the first exercise, and the check goes from TODO to PASS, for it alone.
make check LAB=lab1 >"$work/before.log" 2>&1 ||
    { cat "$work/before.log"; fail "the first make check ends in an error"; }
grep -q '^TODO  1a_gradient ' "$work/before.log" ||
    { cat "$work/before.log"; fail "the first exercise is not TODO"; }
grep '^0 of [0-9]* points, [0-9]* to do$' "$work/before.log" || fail "make check: no sum"
if grep -E '^(PASS|FAIL) ' "$work/before.log"; then
    fail "the given files should be TODO, all of them"
fi
status=0; HEADLESS=1 make lab1 >"$work/lab1.log" 2>&1 || status=$?
[ $status = 0 ] && grep 'TODO in lab1_gd/exercises/1a_gradient.c, line' "$work/lab1.log" ||
    { cat "$work/lab1.log"; fail "make lab1 does not say what is still to do"; }
cp "$project/lab1_gd/solution/1a_gradient.c" lab1_gd/exercises/1a_gradient.c
make check LAB=lab1 >"$work/after.log" 2>&1 || true
grep '^PASS  1a_gradient ' "$work/after.log" ||
    { cat "$work/after.log"; fail "the first exercise, done, is not PASS"; }
[ "$(grep -c '^TODO ' "$work/after.log")" = $(($(grep -c '^TODO ' "$work/before.log") - 1)) ] ||
    fail "the other exercises should be TODO"

# make's status: 0 for a part still to do (77), which is reported; 2 for an error, and nothing runs
# after it.
rm -rf lab3_*; mkdir lab3_scale
printf '%s\n' '#include "check.h"' 'int main(void) { TODO("the first part"); }' \
    >lab3_scale/1_first.c
make lab3 >"$work/lab3.log" 2>&1 ||
    { cat "$work/lab3.log"; fail "a part still to do should not be an error of make's"; }
grep 'TODO in lab3_scale/1_first.c, line 2: the first part' "$work/lab3.log" ||
    fail "the part still to do is not named"
grep '^lab3: not all of it ran' "$work/lab3.log" ||
    fail "make does not report that a part is still to do"
printf '%s\n' '#include "check.h"' 'int main(void) { REQUIRE(0, "a bad file"); }' \
    >lab3_scale/2_second.c
printf 'int main(void) { return 0; }\n' >lab3_scale/3_third.c
status=0; make lab3 >"$work/lab3.log" 2>&1 || status=$?
[ $status = 2 ] || fail "a failing program: make's status is $status, expected 2"
grep '^error: a bad file' "$work/lab3.log" || fail "the message is lost"
make lab3 ONLY=third >"$work/lab3.log" 2>&1 || fail "ONLY=third runs more than that"
