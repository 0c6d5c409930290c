#!/usr/bin/env bash
# Which part "make labN" opens (parts.sh choose): the first that is not finished; NEXT=1
# the one after; with SOL=1 the first. A part's exercises are checked once none has a TODO, and
# again when one was changed; a check that fails, or has something left to do, keeps the part open.
# ranks: 0
set -u
parts=$PWD/common/setup/parts.sh
folder=$(mktemp -d) && cd "$folder" || exit 2
failed=''
mkdir -p lab/check lab/exercises
cat >lab/parts.txt <<'END'
1_one | serial | 1 | easy | core | one
1_two | 1 | 1 | easy | choice | its second program
2_read | 1 | 1 | easy | core | nothing to write
10_last | 2 | 1 | hard | choice | the last
END
touch lab/check/{1a_f,1b_g,10_last}_check.c
printf '    TODO(1);\n' | tee lab/exercises/1a_f.c lab/exercises/1b_g.c >lab/10_last.c

cat >check <<'END' # in make's place: says which check it was asked for
for word; do case $word in ONLY=*) name=${word#ONLY=} ;; esac; done
echo "$name" >>checked
echo "$(cat "verdict_$name" 2>/dev/null || echo PASS)  ${name#*_} 1/1"
END
opens() { # what is tried, its part, the checks it takes; variables before it as the caller's
    local got
    : >checked
    got=$(MAKE='sh ./check' "$parts" choose lab file lab/1_one lab/1_two lab/2_read lab/10_last \
        2>said)
    [ "$got" = "$2" ] && [ "$(tr '\n' ' ' <checked)" = "$3" ] ||
        { echo "$1: opens '$got', expected '$2'; checks $(<checked), expected $3"; failed=yes; }
}
done_with() { echo "int changed = $RANDOM$RANDOM;" >"lab/$1"; }

opens "all to do" lab/1_one ''
opens "again" lab/1_one ''
NEXT=1 opens "the next" lab/2_read ''
NEXT=1 opens "the one after" lab/10_last ''
NEXT=1 opens "after the last" '' ''
grep -q 'that was the last part: lab has 10' said || { cat said; failed=yes; }
SOL=1 opens "the references" lab/1_one ''

rm file
done_with exercises/1a_f.c
opens "one of two" lab/1_one ''
done_with exercises/1b_g.c
echo FAIL >verdict_1b_g
opens "one that fails" lab/1_one '1a_f 1b_g '
printf 'PASS  a 1/1\nTODO' >verdict_1b_g
opens "half of one" lab/1_one '1b_g '
rm verdict_1b_g
opens "both pass" lab/2_read '1b_g '
opens "one without exercises is finished once it was opened" lab/10_last ''
done_with 10_last.c
opens "all done" '' '10_last '
grep -q "every part is done: 'make lab ONLY=5'" said || { cat said; failed=yes; }
done_with exercises/1a_f.c
echo FAIL >verdict_1a_f
opens "one was changed, and fails now" lab/1_one '1a_f '
rm lab/exercises/1a_f.c
opens "one was deleted" lab/1_one ''
done_with exercises/1a_f.c
rm verdict_1a_f
printf '    TODO(1);\n' >lab/exercises/1b_g.c
sed -i '/^1_one/s/core/core 1a, 20 minutes/' lab/parts.txt
opens "its core exercise is done" '' '1a_f '
[ "$("$parts" core lab | paste -sd ' ')" = '1a 2' ] || { "$parts" core lab; failed=yes; }
[ -z "$failed" ]
