#!/usr/bin/env bash
# make clean removes what make created, and nothing else. Hostile cases for make itself: folders
# that are not its own, values that cannot be right, names that match nothing, two makes at once.
# Each ends with a message, and nobody's file goes.
# all: yes
# seconds: 600
# sanitizers: no
# ranks: 0
set -u
work=$(mktemp -d) || exit 2
other=
trap 'kill $other 2>/dev/null; rm -rf "$work"' EXIT
mkdir -p "$work/project"
cp -r .clang-format .gitignore .gitattributes LICENSE Makefile README.md make common lab*_* \
    assessment datasets docs tests "$work/project/"
root=$PWD built=$(realpath "$BUILD") same=$BUILD cuda=''
[ -e "$built/labs_gpu.so" ] || cuda=HAVE_CUDA= # as it was built
cd "$work/project" || exit 2
unset BUILD SAN ONLY
probed() { # FOLDER: as if make had found out what this machine has: that takes seconds of it
    common/setup/build_folder.sh "$1"; cp -r "$built"/{config.mk,probe} "$1/"
}
export DEPS=no
cases=0 failed=0

wrong() { echo "FAIL  $*"; sed 's/^/      /' "$work/err"; failed=$((failed + 1)); }
case_() { # status, words on stderr or stdout, command…
    local expected=$1 words=$2 status
    shift 2
    cases=$((cases + 1))
    timeout --kill-after=5 120 "$@" >"$work/out" 2>"$work/err" </dev/null; status=$?
    if [ $status != "$expected" ]; then wrong "status $status, expected $expected: $*"
    elif [ -n "$words" ] && ! grep -qF -- "$words" "$work/err" "$work/out"; then
        wrong "no '$words': $*"
    elif [ "$expected" != 0 ] && [ "$(wc -l <"$work/err")" -gt 3 ]; then wrong "many lines: $*"
    else echo "ok    $*  $(head -n 1 "$work/err" | cut -c 1-200)"; fi
}
stays() { [ -e "$1" ] || wrong "$1 is gone"; }

# ---- make clean: only what a build marked as its own ----
before=$(find . | sort)
case_ 0 '' make clean # nothing to clean
case_ 0 '' make handout
mkdir build/out; touch build/out/figure.png
case_ 0 'rm -rf -- build' make clean
[ "$(find . | sort)" = "$before" ] || wrong "something else has changed: $(find .)"
thesis=$work/theirs/thesis
mkdir -p "$work/theirs"; echo years >"$thesis"
refused_clean() { # folder
    case_ 2 'make did not create' make --no-print-directory clean "BUILD=$1"
    stays "$thesis"
}
refused_clean "$work/theirs"
refused_clean "$work/theirs/"
refused_clean "$work/theirs/../theirs"
refused_clean .
refused_clean ..
refused_clean ../project
refused_clean /
refused_clean common
refused_clean "$work"
ln -s "$work/theirs" "$work/link"; refused_clean "$work/link"
mkdir "$work/theirs/.labs-build"; refused_clean "$work/theirs"; rmdir "$work/theirs/.labs-build"
case_ 2 'make did not create' make clean "BUILD=$thesis"; stays "$thesis"
make handout BUILD="$work/theirs" >/dev/null 2>&1 # building in it does not make it ours
refused_clean "$work/theirs"
case_ 2 'make did not create' make clean handout BUILD="$work/theirs"; stays "$thesis"
stays common/check.h
case_ 0 '' make clean BUILD="$work/nothing"
folder=common/setup/build_folder.sh # what each build begins with
mkdir "$work/given"; $folder "$work/given"
case_ 0 '-mindepth 1' make clean BUILD="$work/given"
stays "$work/given"
[ -z "$(ls -A "$work/given")" ] || wrong "a given folder is not empty after make clean"
ln -s "$work/given" "$work/given.link"; $folder "$work/given.link"
case_ 0 '' make clean BUILD="$work/given.link"
stays "$work/given.link"; stays "$work/given"
$folder deep/er
case_ 0 'rm -rf -- deep/er' make clean BUILD=deep/er
if [ ! -d deep ] || [ -e deep/er ]; then wrong "deep/er is not what was removed"; fi
# a source renamed from .c to .cpp: its old dependency file would stop make
touch tests/support/renamed.c; $folder "$work/old"
mkdir -p "$work/old/room/tests/support"
tee "$work/old/room/tests/support/"{renamed,check}.{o,d} <<<built >/dev/null
mv tests/support/renamed.c tests/support/renamed.cpp; $folder "$work/old"
rm tests/support/renamed.cpp
[ "$(cd "$work/old/room/tests/support" && echo *)" = "check.d check.o" ] ||
    wrong "not what was built of a renamed source was removed: $(ls "$work/old/room/tests/support")"

# ---- values ----
probed build
# shellcheck disable=SC2016 # make gets the dollars
for value in '' 'a b' 'a;touch x' "a'b" 'a"b' "a\`b" 'a$$(b)' 'a|b' 'a&b' 'a*b' 'a:b' 'a#b' \
    'a%b' 'a\b'; do
    case_ 2 'BUILD=' make clean "BUILD=$value"
done
for value in '' 0 -1 1.5 abc '2 3' 99999; do case_ 2 'JOBS=' make doctor "JOBS=$value"; done
for value in 2 yes 'thread 1'; do case_ 2 'SAN=' make all "SAN=$value"; done
for value in lab9 lab 'lab1 x' ../lab1; do case_ 2 'LAB=' make check "LAB=$value"; done
# Make expands nothing in any variable, and no shell runs it.
every=$(sed -n '/^GIVEN :=/,/[A-Z]$/p' Makefile | grep -oE '\b[A-Z_]+\b' | grep -v GIVEN)
for name in $every CPPFLAGS LDFLAGS CBLAS_LIBS OTHER; do
    make -n lab1 ONLY=1 "$name='\";\`touch x1\`\$(touch x2)\$\$(touch x3)\$(shell touch x4)'" \
        >"$work/err" 2>&1
    make -n lab1 ONLY=1 "$name=a
touch x5" >>"$work/err" 2>&1 && wrong "$name= of two lines is taken"
    cases=$((cases + 1))
    ! ls x[1-5] >>"$work/err" 2>/dev/null || wrong "$name= runs what it says"
    rm -f x?
done
# What is typed reaches the scripts that make calls.
printf 'include Makefile\nseen: ; @env\n' >seen.mk
case_ 0 '' make -f seen.mk seen ALL=1 RUNS=2 LABS_OTHER=3
[ "$(grep -cxE 'ALL=1|RUNS=2|LABS_OTHER=3' "$work/out")" = 3 ] || wrong "not all reach a recipe"
rm seen.mk
# The words of ARGS are options, in quotes or not; of SUBMISSION, a file's name.
case_ 2 "a quote is not closed" make lab1 ONLY=1 "ARGS=--out 'a"
for text in ';touch x1' '`touch x2`' '$(touch x3)' '"$(touch x4)"' '|touch x5'; do
    text=${text//touch /touch $work/} # where it was built, or everything is built again
    case_ 2 '--rate=' make -C "$root" lab1 ONLY=1 SOL=1 BUILD="$same" $cuda ARGS="--rate='$text'"
    case_ 2 'No such file' make -C "$root" grade BUILD="$same" $cuda "SUBMISSION=it's $text.c"
    ! ls "$work"/x[1-5] 2>/dev/null || wrong "$text runs"
    rm -f "$work"/x?
done
case_ 2 "DATA is set in your shell's environment" env 'DATA=/a b;' make lab1
case_ 2 "LAB is set in your shell's environment" env LAB=/a make check
for name in only lab np sol device; do
    capital=$(tr a-z A-Z <<<"$name")
    case_ 2 "$name= is not a variable of this Makefile: $capital=" make check "$name=lab1"
done
case_ 2 "SUBMISION= is not a variable of this Makefile: 'make' lists them" make grade SUBMISION=a.c
case_ 2 '1a is an exercise: make check LAB=lab1 ONLY=1a' make lab1 ONLY=1a
case_ 2 '1_gradient is a program: make lab1 ONLY=1_gradient' make check ONLY=1_gradient
case_ 2 'ONLY=ansers: no name contains this: did you mean answers?' make check ONLY=ansers
case_ 2 'did you mean 1c_converged?' make check ONLY=1c_convergd.c
case_ 2 'did you mean 1_gradient_descent?' make lab1 ONLY=1_gradient_decent
case_ 2 'none of these names has it: 1a_gradient' make check LAB=lab1 ONLY=nothing_such
case_ 2 'NEXT=1: not with ONLY' make lab1 NEXT=1 ONLY=2
case_ 0 '/10_precision -- ' make -n lab3 ONLY=all
make -n lab2 ONLY=1_ 2>&1 | grep 'parts.sh run' >"$work/err" # not 10_shard or 11_what_if
grep -q '/1_ranks ' "$work/err" && ! grep -qE '/1[01]_' "$work/err" || wrong "ONLY=1_"
for name in 1A 1a_gradient.c exercises/1a_gradient.c ./lab1_gd/exercises/1A_Gradient.c; do
    case_ 0 'check/1a_gradient' make -n check LAB=lab1 "ONLY=$name"
done
case_ 2 'no test has' make test ONLY=nothing_has_this_name
case_ 2 'no test has' make test 'ONLY=test_args nothing_has_this_name'
case_ 2 'no test has' make test ONLY=test_args/nothing_has_this_name
case_ 2 'no build there' make all BUILD=/proc/labs
case_ 2 'no build there' make all BUILD=README.md
for folder in lab1_gd lab2_ddp lab3_scale assessment; do
    case_ 2 'type make in the folder above this one' make -C $folder check
done
[ ! -e x ] || wrong "a value was run as a command"

# Warnings are errors only for those who ask for that, and never in a student's file.
number=b/common/base/number.o exercise=b/lab1_gd/exercises/1a_gradient.o
probed b
old='-o b/lab1_gd/early.a' # what an exercise is linked with, for a trial: as it was built
mkdir b/lab1_gd; cp "$built/lab1_gd/early.a" b/lab1_gd/
cp lab1_gd/exercises/1a_gradient.c common/base/number.c "$work/"
echo 'static int unused;' | tee -a lab1_gd/exercises/1a_gradient.c >>common/base/number.c
case_ 0 'unused' env -u WERROR CI=true make $old HAVE_CUDA= BUILD=b $number $exercise
touch common/base/number.c
case_ 0 'unused' make HAVE_CUDA= BUILD=b WERROR=0 $number
make HAVE_CUDA= BUILD=b WERROR=1 $number >"$work/err" 2>&1 && wrong "WERROR=1 takes a warning"
mv "$work/number.c" common/base/
case_ 0 'unused' make $old HAVE_CUDA= BUILD=b WERROR=1 $exercise
mv "$work/1a_gradient.c" lab1_gd/exercises/

# A trainer's patch fits exactly, or not at all; what the error says to type makes one that fits.
trainer=lab2_ddp/solution/3_train
case_ 0 '' make HAVE_CUDA= BUILD=b b/$trainer.c
cp b/$trainer.c $trainer.patch "$work/"
sed -i 's/ Leave the communication library:/ Then leave it:/' lab2_ddp/3_train.c
case_ 2 "$trainer.patch does not fit lab2_ddp/3_train.c" make HAVE_CUDA= BUILD=b b/$trainer.c
sed -n 's/.* If so: \(.*\); correct .*/\1/p' "$work/err" >"$work/command"
cmp b/$trainer.c "$work/3_train.c" >"$work/err" 2>&1 || wrong "a patch that does not fit is used"
find . -name '*.rej' -o -name '*.orig' -o -name '*.part' >"$work/err"
[ ! -s "$work/err" ] || wrong "patch leaves files behind"
case_ 0 'with fuzz' sh "$work/command"
case_ 0 "$trainer.patch" make BUILD=b patches
case_ 0 '' make HAVE_CUDA= BUILD=b b/$trainer.c
[ "$(diff "$work/3_train.c" b/$trainer.c | tee "$work/err" | grep -c '^[<>]')" = 2 ] ||
    wrong "more differs than the line that was changed"
: >$trainer.patch
case_ 2 "$trainer.patch does not fit" make HAVE_CUDA= BUILD=b b/$trainer.c
rm $trainer.patch
case_ 2 "No rule to make target '$trainer.patch'" make HAVE_CUDA= BUILD=b b/$trainer.c
mv "$work/3_train.patch" $trainer.patch; cp "$root/lab2_ddp/3_train.c" lab2_ddp/

# A folder has two names: what was built by one is rebuilt by the other when a header changes.
case_ 0 '' make HAVE_CUDA= BUILD="$PWD/b" "$PWD/$number"
sleep 0.1; touch common/number.h
make -q HAVE_CUDA= BUILD=b $number && wrong "BUILD=\$PWD/b: the header is no longer known"

# ---- copies that lost something on their way ----
find . -name '*.sh' -exec chmod -x {} +
case_ 0 '' make HAVE_CUDA= BUILD=b $number
touch -d '+2 hours' common/setup/parts.txt common/base/number.c # make restarted itself forever
case_ 0 'Clock skew' make HAVE_CUDA= BUILD=b $number
touch common/setup/parts.txt common/base/number.c
head -c 100 b/common/base/number.o >"$work/half"; sleep 0.1; touch common/base/number.c
make HAVE_CUDA= BUILD=b $number >/dev/null 2>&1 & # is killed
until [ -e $number.part ] || ! kill -0 $! 2>/dev/null; do :; done
kill -9 $! 2>/dev/null; wait $! 2>/dev/null
case_ 0 '' make HAVE_CUDA= BUILD=b $number
nm $number >"$work/err" 2>&1 || wrong "half an object stays"
: >$number; touch $number
case_ 0 '' make HAVE_CUDA= BUILD=b $number
[ -s $number ] || wrong "an empty object stays"
rm lab1_gd/exercises/1b_update.c; ln -s nowhere lab1_gd/exercises/1b_update.c
case_ 0 '' make $old HAVE_CUDA= BUILD=b b/lab1_gd/exercises/1b_update.o
grep -q '1b_update.c: missing' "$work/err" || wrong "a link to nowhere is not named"
mkdir "$work/nolinks"; printf '#!/bin/sh\nexit 1\n' >"$work/nolinks/ln"; chmod +x "$work/nolinks/ln"
case_ 2 'no symbolic link' env PATH="$work/nolinks:$PATH" make HAVE_CUDA= BUILD=b $number
cp common/setup/launch.sh "$work/"; sed -i 's/$/\r/' common/setup/launch.sh
case_ 2 'CRLF' make help
cp "$work/launch.sh" common/setup/
for k in 1 2 3 4; do # started by another make, at the same time
    MAKELEVEL=1 make HAVE_CUDA= BUILD=b b/common/base/check.o >"$work/make.$k" 2>&1 ||
        touch "$work/bad" &
done
wait
cases=$((cases + 1))
[ ! -e "$work/bad" ] || { cat "$work"/make.? >"$work/err"; wrong "four makes of another make's"; }
rm -rf b

# ---- the lock: one make builds, others wait ----
lock() { common/setup/build_lock.sh "$@"; }
said() { # words: waits until the command that runs has said them
    local end=$((SECONDS + 60))
    until grep -qF -- "$1" "$work/err"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}
waits() { # words, process of make: it waits for the lock of b, and says so
    local taker
    cases=$((cases + 1))
    common/setup/build_lock.sh take b "$2" 2>"$work/err" & taker=$!
    if said "$1" && kill $taker; then echo "ok    it waits: $1"
    else wrong "it does not wait: $1"; fi
    wait $taker 2>/dev/null
}
then_gets_it() { # command…: once it waits this is done, and it gets the lock
    : >"$work/err"
    (said 'another make' && "$@") &
    case_ 0 'another make' common/setup/build_lock.sh take b $$
    wait $!
}
mkdir b; tail -f /dev/null & other=$! # a process that stays
lock take b $other
waits 'another make' $$
case_ 0 '' common/setup/build_lock.sh take b $other # make restarts itself, and has it already
case_ 0 '' common/setup/build_lock.sh release b $$  # not its own: no effect
waits 'waiting' $$
then_gets_it lock release b $other
lock release b $$; lock take b $other
then_gets_it kill -KILL $other # however that one ended
lock release b $$
ln -s nowhere.example:1 b/.making
waits 'nowhere.example' $$
rm b/.making
for name in 'mkdir -p b/.making/full' 'mkfifo b/.making' 'touch b/.making'; do
    $name; case_ 2 "not a lock" common/setup/build_lock.sh take b $$; rm -rf b/.making
done
host=${HOSTNAME:-$(uname -n)}
ln -s "$host:$$:1" b/.making # that process has ended, and its number is another's now
case_ 0 '' common/setup/build_lock.sh take b $$; rm b/.making
ends=0
for k in 1 2 3 4 5 6 7 8; do # all find a dead make's lock
    ln -sf "$host:$other:1" b/.making
    (lock take b $BASHPID && [[ $(readlink b/.making) == "$host:$BASHPID:"* ]] &&
        lock release b $BASHPID) 2>/dev/null &
    (lock take b $BASHPID && [[ $(readlink b/.making) == "$host:$BASHPID:"* ]] &&
        lock release b $BASHPID) 2>/dev/null || ends=$((ends + 1))
    wait $! || ends=$((ends + 1))
done
cases=$((cases + 1))
[ $ends = 0 ] || wrong "of 16 makes that found a dead one's lock $ends did not get it alone"

# ---- two makes at once ----
both() { # goals…
    local k status=0 makes=()
    rm -rf twice; cases=$((cases + 1))
    [ -n "${ALL-}" ] || probed twice
    for k in 1 2 3; do
        make BUILD=twice HAVE_CUDA= HAVE_CUDNN= HAVE_NCCL= "$@" >"$work/make.$k" 2>&1 </dev/null &
        makes+=($!)
    done
    for k in 0 1 2; do wait "${makes[k]}" || status=$?; done
    cat "$work"/make.[123] >"$work/err"
    if [ $status != 0 ]; then wrong "three makes at once: $*"
    else echo "ok    three makes at once: $*"; fi
}
both twice/common/base/number.o twice/common/base/check.o twice/common/base/printable.o
nm twice/common/base/check.o | grep -q ' T die' || wrong "check.o is not whole"
if [ -n "${ALL-}" ]; then # each probes this machine again
    make BUILD=twice HAVE_CUDA= clean twice/common/base/number.o >/dev/null 2>&1 &
    make BUILD=twice HAVE_CUDA= clean twice/common/base/number.o >"$work/err" 2>&1 ||
        wrong "make clean beside another make"
    wait $! || wrong "make clean beside another make"
fi
case_ 0 'rm -rf -- twice' make clean BUILD=twice # what was built after a clean is make's, too
[ ! -e twice ] || wrong "twice is still there"

echo "$cases cases, $failed failed"
[ $failed = 0 ] && [ $cases -ge 50 ]
