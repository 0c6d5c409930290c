# shellcheck shell=bash
# _lab2_programs.sh: for scripts that change a source of lab 2 and build its program anew, by the
# commands that make would run. Needs $work; sets $source, $parts.
source=lab2_ddp/solution
parts=$BUILD/sol/lab2_ddp/parts.a

# The commands that build the reference's programs, as make would run them.
cuda=()
[ -e "$BUILD/gpu_calls" ] || cuda=(HAVE_CUDA=) # this build is without
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -n V=1 BUILD="$BUILD" "${cuda[@]}" \
    -W $source/3_train.c -W $source/2b_all_reduce_ring.c \
    "$BUILD/sol/lab2_ddp/3_train" "$BUILD/sol/lab2_ddp/trial/2b_all_reduce_ring" 2>&1 |
    sed "s/ *$//" >"$work/commands"
command_of() { # a fixed string that only this command ends with
    local found
    found=$(grep -F -- "$1" "$work/commands" | grep -E -- "-o [^ ]*$2\$" | tail -n 1)
    [ -n "$found" ] ||
        { echo "make does not say how it builds $2:"; tail -n 5 "$work/commands"; exit 1; }
    echo "$found"
}
compile_train=$(command_of "-c $source/3_train.c" 3_train.o) || { echo "$compile_train"; exit 1; }
# The other exercises' are alike.
compile_ring=$(command_of "-c $source/2b_all_reduce_ring.c" 2b_all_reduce_ring.o) ||
    { echo "$compile_ring"; exit 1; }
link_train=$(command_of libcommon.a lab2_ddp/3_train) || { echo "$link_train"; exit 1; }
link_ring=$(command_of libcommon.a lab2_ddp/trial/2b_all_reduce_ring) ||
    { echo "$link_ring"; exit 1; }

# A command with the mutant's source, object and program in place of the reference's.
redirect() { # command, folder, source name, program name
    sed -e "s|$source/$3\.c|$2/$3.c|; s|$BUILD/$source/$3\.o|$2/$3.o|g" \
        -e "s|-o $BUILD/sol/lab2_ddp/$4\$|-o $2/$4|; s|\$| -w -Wno-error|" <<<"$1"
}

# In dir, which has its source, NAME.c: build the program NAME that the check in dir/check judges.
build_changed() { # dir, NAME: 3_train or an exercise
    local compile=${compile_ring//2b_all_reduce_ring/$2} link=${link_ring//2b_all_reduce_ring/$2}
    mkdir "$1/check" "$1/trial"
    cp "$BUILD/sol/lab2_ddp/check/$2" "$1/check/"
    if [ "$2" = 3_train ]; then # the check looks for the trainer in the folder above its own
        bash -c "$(redirect "$compile_train" "$1" 3_train -)" &&
            bash -c "$(redirect "$link_train" "$1" 3_train 3_train)"
    else # before the archive, which has the reference's
        bash -c "$(redirect "$compile" "$1" "$2" -)" &&
            bash -c "$(redirect "${link/ $parts/ $1/$2.o $parts}" "$1" "$2" "trial/$2")"
    fi >"$1/make.log" 2>&1
}
export -f build_changed redirect
export work source parts compile_train compile_ring link_train link_ring
