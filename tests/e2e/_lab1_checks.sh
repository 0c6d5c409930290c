# shellcheck shell=bash
# _lab1_checks.sh: each check of lab 1 alone. It needs only its own exercise: linked are the check,
# that exercise and what all checks use. So it passes with stubs everywhere else, and a mistake
# shows in its own line. Needs $work.
compile() { "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Icommon -Ilab1_gd -w -c "$1" -o "$2"; }
link() { "${CC:-cc}" "$1" "$work/checks/$2.o" "$work"/frame/*.o -lm -o "$3"; }
build() { # folder, exercise's file without .c: folder/NAME.c to folder/check/NAME
    mkdir "$1/check" "$1/trial"
    cp "$work/check/$2" "$1/check/"
    compile "$1/$2.c" "$1/$2.o" && link "$1/$2.o" "$2" "$1/trial/$2"
}
mkdir -p "$work/frame" "$work/checks" "$work/check"
for file in lab1_gd/linear/linear.c \
    common/base/{exercise,exercise_mistake,exercise_trial,child,child_alone,child_family}.c \
    common/base/{printable,timer,check,memory,number,start,start_needs,start_streams,rng}.c; do
    compile "$file" "$work/frame/$(basename "$file" .c).o" || { echo "$file"; exit 1; }
done
for file in lab1_gd/check/*.c; do
    [ "$file" != lab1_gd/check/99_answers.c ] || continue # of no exercise
    name=$(basename "$file" .c)
    echo "void ${name#*_}(void) { __builtin_trap(); }" >"$work/absent.c" # never called
    compile "$file" "$work/checks/$name.o" && compile "$work/absent.c" "$work/absent.o" &&
        link "$work/absent.o" "$name" "$work/check/$name" || { echo "$file"; exit 1; }
done
export -f compile link build
export work
