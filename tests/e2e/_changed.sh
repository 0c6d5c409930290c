# shellcheck shell=bash
# _changed.sh: for scripts that change a source of lab 2's reference, an exercise or 3_train, and
# look at what its check says. Needs $lab (lab2_ddp), $work.
source=$lab/solution parts=$BUILD/sol/$lab/parts.a one=2b_all_reduce_ring
trainer=$BUILD/$source/3_train.c
reference() { if [ "$1" = 3_train ]; then echo "$trainer"; else echo "$source/$1.c"; fi; } # name

# How make compiles and links one of them, from the source that replaces the reference's.
cuda=()
[ -e "$BUILD/gpu_calls" ] || cuda=(HAVE_CUDA=) # this build is without
env -u MAKEFLAGS -u MFLAGS -u LABS_BUILD make -n V=1 BUILD="$BUILD" "${cuda[@]}" \
    -W $source/$one.c "$BUILD/sol/$lab/trial/$one" \
    -W "$trainer" "$BUILD/sol/$lab/3_train" 2>&1 |
    sed 's/\.part && mv .*//; s/ -MF [^ ]* -MT [^ ]*//; s/ *$//' >"$work/commands"
command_of() { # a fixed string that only this command has, and what it makes
    grep -F -- "$1" "$work/commands" | grep -E -- "-o [^ ]*$2\$" | tail -n 1
}
compile=$(command_of "-c $source/$one.c" $one.o) link=$(command_of libcommon.a trial/$one)
link_train=$(command_of libcommon.a $lab/3_train)
[ -n "$compile" ] && [ -n "$link" ] && [ -n "$link_train" ] || {
    echo "make does not say how it builds $one:"; tail -n 5 "$work/commands"; exit 1; }

# DIR has NAME.c, an exercise or 3_train: builds what DIR/check/NAME judges.
build_changed() { # dir, name
    local dir=$1 name=$2 c l=$link_train
    mkdir "$dir/check" "$dir/trial"
    cp "$BUILD/sol/$lab/check/$name" "$dir/check/"
    c=$(sed -e "s|$one|$name|g; s|$source/$name\.c|$dir/$name.c|
        s|$BUILD/$source/$name\.o|$dir/$name.o|g; s|\$| -w -Wno-error -O1 -g1|" <<<"$compile")
    if [ "$name" = 3_train ]; then # the check looks for the trainer in the folder above its own
        l=$(sed "s|$BUILD/$source/3_train\.o|$dir/3_train.o|; s|-o [^ ]*\$|-o $dir/3_train|" \
            <<<"$l")
    else # before the archive, which has the reference's
        l=$(sed "s|$one|$name|g; s| $parts| $dir/$name.o&|; s|-o [^ ]*\$|-o $dir/trial/$name|" \
            <<<"$link")
    fi
    bash -c "$c && $l" >"$dir/make.log" 2>&1
}
export -f build_changed reference
export lab work source trainer parts one compile link link_train
