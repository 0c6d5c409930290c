# shellcheck shell=bash
# _mutants.sh: for scripts that change a source of a lab's reference, rebuild its program by the
# commands that make would run, and look at what its check says. Needs $lab (lab2_ddp), $work.
#
#     build_changed DIR NAME   DIR has NAME.c, an exercise or 3_train: builds what DIR/check/NAME
#                              judges
#     judge_mutants            those of tests/mutants/$lab, a record each, a blank line behind it:
#                                  its name, and the exercise
#                                  words of the verdict (a pattern)
#                                  a sed expression (-zE), whose lines are joined by spaces
#                              In front of the expression: LINES (sed without -zE), BODY (C, in
#                              place of the function's), AT_END (C, before the ring ends).
# The first of each exercise; MUTANTS=all (make mutants) or ALL=1: all; MUTANT=name: this one.
source=$lab/solution trainer=$BUILD/$lab/solution/3_train.c
reference() { if [ "$1" = 3_train ]; then echo "$trainer"; else echo "$source/$1.c"; fi; } # name
parts=$BUILD/sol/$lab/parts.a
one=$(basename "$(printf '%s\n' "$BUILD/sol/$lab/trial"/* | head -n 1)") # the others' are alike

cuda=()
[ -e "$BUILD/gpu_calls" ] || cuda=(HAVE_CUDA=) # this build is without
programs=("$BUILD/sol/$lab/trial/$one")
[ ! -e "$trainer" ] || programs+=(-W "$trainer" "$BUILD/sol/$lab/3_train")
env -u MAKEFLAGS -u MFLAGS -u LABS_BUILD make -n V=1 BUILD="$BUILD" "${cuda[@]}" \
    -W "$source/$one.c" "${programs[@]}" 2>&1 |
    sed 's/\.part && mv .*//; s/ -MF [^ ]* -MT [^ ]*//; s/ *$//' >"$work/commands"
command_of() { # a fixed string that only this command has, and what it makes
    grep -F -- "$1" "$work/commands" | grep -E -- "-o [^ ]*$2\$" | tail -n 1
}
compile=$(command_of "-c $source/$one.c" "$one.o") link=$(command_of libcommon.a "trial/$one")
link_train=$(command_of libcommon.a "$lab/3_train")
[ -e "$trainer" ] || link_train=none
[ -n "$compile" ] && [ -n "$link" ] && [ -n "$link_train" ] || {
    echo "make does not say how it builds $one:"; tail -n 5 "$work/commands"; exit 1; }

# Without the optimiser: most of these programs run for milliseconds.
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

judge_mutant() { # name, exercise, words, how (-zE or none), expression
    local name=$1 dir=$work/$1 from=$source/$2.c line
    failed() { echo "FAIL  $name: $*"; }
    mkdir "$dir"
    # shellcheck disable=SC2086 # none is no word
    sed ${4#none} "$5" "$from" >"$dir/$2.c" || { failed "sed: $5"; return 1; }
    ! cmp -s "$from" "$dir/$2.c" || { failed "the expression changes nothing: $5"; return 1; }
    build_changed "$dir" "$2" || { failed "does not compile"; cat "$dir/make.log"; return 1; }
    TMPDIR=$dir timeout --kill-after=5 240 "$dir/check/$2" >"$dir/check.log" 2>&1
    line=$(grep -m 1 '^FAIL' "$dir/check.log" | sed 's/.*found: //')
    grep -qE -- "$3" <<<"$line" ||
        { failed "expected '$3':"; cut -c 1-500 "$dir/check.log"; return 1; }
    echo "ok    $name: $line"
    rm -rf "$dir"
}
wanted() { # name; is it the first of its exercise?
    if [ -n "${MUTANT-}" ]; then [ "$MUTANT" = "$1" ]
    else [ "${MUTANTS-}" = all ] || [ -n "${ALL-}" ] || [ "$2" = yes ]; fi
}
judge_mutants() {
    local start end name exercise words expression line first how all=0 tried=0
    declare -A seen=()
    start='int rank, P; MPI_Comm_rank(comm, \&rank); MPI_Comm_size(comm, \&P);'
    start+=' float *a = alloc((unsigned long)count + 1, 4);'
    end='(    free\(arrived\);\n\})'
    while read -r name exercise && read -r words; do
        expression='' how=-zE first=yes
        while read -r line && [ -n "$line" ]; do expression+="${expression:+ }$line"; done
        case $expression in
            'LINES '*) how=none expression=${expression#* } ;;
            'AT_END '*) expression="s/$end/${expression#* }\n\1/" ;;
            'BODY '*) expression="s/(\nvoid [^;]*\)\n)\{.*/\1{ $start ${expression#* } }\n/" ;;
        esac
        [ -z "${seen[$exercise]-}" ] || first=no
        seen[$exercise]=yes all=$((all + 1))
        wanted "$name" $first || continue
        tried=$((tried + 1))
        printf '%s\0' "$name" "$exercise" "$words" "$how" "$expression"
    done <"tests/mutants/$lab" >"$work/mutants"
    xargs -0 -n 5 -P "${JOBS:-2}" bash -c 'judge_mutant "$@"' _ <"$work/mutants"
    local failed=$?
    echo "$tried of $all mutants"
    [ $failed = 0 ] && [ $tried -gt 0 ]
}
export -f build_changed judge_mutant reference
export lab work source trainer parts one compile link link_train
