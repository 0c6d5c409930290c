#!/usr/bin/env bash
# seconds: 600
# ranks: 0
# sanitizers: no
# The numbered questions of all labs: the handout asks each of them; the files agree with
# questions.txt; usual mistakes are named, also those of a class's numbers; what is right in one
# year is wrong in the next; what is ignored costs its own line. (The key and the students' file:
# lab_checks.sh; hostile files and numbers: test_answers.c.)
set -eu
. tests/e2e/_work.sh
answers() { # file, status expected, how many are right
    local status=0
    "$check" "$1" >"$work/log" 2>&1 || status=$?
    [ $status = "$2" ] && [ "$(grep -c '^PASS ' "$work/log")" = "$3" ]
}
mistakes() { # questions of $check and $key; lines "name | what is written | words"
    local name written words
    while IFS='|' read -r name written words; do
        name=${name% } written=${written# } written=${written% } words=${words# }
        sed "s~^$name = [^#]*~$name = $written ~" "$key" >"$work/wrong"
        answers "$work/wrong" 1 $(($1 - 1)) || fail "$name = $written"
        grep "^FAIL  $name " "$work/log" | grep -qF -- "$words" ||
            fail "$name = $written: expected '$words'"
        echo "ok: $name: $(sed -n 's/^FAIL.*found: //p' "$work/log")"
    done
}

for lab in lab1_gd lab3_scale; do
    sed -nE 's/^([0-9]+)_([0-9])_.*/\1.\2/p' $lab/exercises/answers.txt >"$work/asked"
    sed -nE 's/^\*\*([0-9]+\.[0-9])\*\* .*/\1/p' $lab/HANDOUT.md >"$work/log"
    cmp -s "$work/asked" "$work/log" || fail "$lab: its questions are not those of answers.txt"
done

# Without a class the files are as they are here.
tree() { # class
    mkdir "$work/$1"
    tar -c lab?_*/{HANDOUT.md,exercises,check,solution} | tar -x -C "$work/$1"
    common/setup/answers.py "$work/$1" "$1" || fail "class $1"
}
tree 0
for lab in lab?_*; do
    for file in HANDOUT.md exercises/answers.txt check/99_answers_check.c solution/answers.txt; do
        diff "$lab/$file" "$work/0/$lab/$file" || fail "make format brings it up to date"
    done
done
written() { # the mistakes in the check's source
    LC_ALL=C awk 'FNR == NR { right[$1] = $3; next }
        /^    {"/ { split($0, name, "\"") }
        { while (match($0, /{[0-9.e-]+, "[^"]*"/)) {
            split(substr($0, RSTART + 1, RLENGTH - 2), mistake, ", \"")
            print name[2] " | " mistake[1] * right[name[2]] " | " mistake[2]
            $0 = substr($0, RSTART + RLENGTH)
        } }' "$key" "$1"
}
# lab, questions, those of them that are the same for every class
while read -r lab questions same; do
    before=0
    for class in 0 2026 2027 2028; do
        [ -e "$work/$class" ] || tree $class
        source=$work/$class/$lab/check/99_answers_check.c check=$work/$class/$lab.check
        key=$work/$class/$lab/solution/answers.txt
        "$BUILD/assessment/grader/compile" "$source" "$check"
        answers "$key" 0 "$questions" || fail "$lab: the key of class $class"
        [ $class = 0 ] || answers "$work/$before/$lab/solution/answers.txt" 1 "$same" ||
            fail "$lab: the answers of $before, in $class"
        [ $class = 2026 ] || [ $class = 2028 ] || mistakes "$questions" < <(written "$source")
        before=$class
    done
done <<'END'
lab1_gd 26 2
lab2_ddp 12 0
lab3_scale 16 0
END

check=$BUILD/sol/lab1_gd/check/99_answers key=lab1_gd/solution/answers.txt
mistakes 26 <<'END'
2_2_overshoots_from_x | 8.97 | is not within 5 %
END

# What stands in a file of answers costs its own line; a missing file none but its own points.
tr '\n' '\r' <"$key" | sed '1s/^/\xef\xbb\xbf/' >"$work/classic"
answers "$work/classic" 0 26 || fail "a byte order mark, and lines that end in CR"
sed 's/^1_1_largest/1_1_lagest/' "$key" >"$work/wrong"
answers "$work/wrong" 1 25 &&
    grep '^note: .*, line [0-9]* is ignored: there is no question "1_1_lagest_stable_rate"$' \
        "$work/log" &&
    grep '^note: the questions are 1_1_largest.*, 11_2_times_as_many_tokens$' "$work/log" ||
    fail "a misspelt name"
mkdir -p "$work/student/lab1_gd/check" "$work/lab1_gd"
cp "$check" "$work/student/lab1_gd/check/"
status=0
(cd "$work" && student/lab1_gd/check/99_answers) >"$work/log" || status=$?
[ $status = 1 ] && [ "$(grep -c '^TODO ' "$work/log")" = 26 ] &&
    grep '^note: .*missing: .*tar xzf labs.tar.gz labs/lab1_gd/exercises/answers.txt$' \
        "$work/log" ||
    fail "a missing file"

check=$BUILD/sol/lab2_ddp/check/99_answers key=lab2_ddp/solution/answers.txt
mistakes 12 <<'END'
gradient_bytes | 7.45 | a millionth of the answer: look at the unit
END

printf 'staleness = 7\0\n' >"$work/bad"
answers "$work/bad" 2 0 && [ "$(wc -l <"$work/log")" = 1 ] && grep 'zero byte' "$work/log" ||
    fail "a zero byte: expected status 2, and a line that says so"
