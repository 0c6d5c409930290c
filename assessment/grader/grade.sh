#!/usr/bin/env bash
# grade.sh GRADER SUBMISSION OPTIONS…: grades one file, or every submission in a folder: each NAME.c, and each NAME/train.c.
#
# A folder takes a night, so nothing that one submission does stops the pile. Each has its own folder under OUT, with its table (grade.txt), results.json
# and logs; OUT/summary.csv has a line for each. All are scored on the same pictures. Exit status: 0 all criteria are met (by every submission), 1 not,
# 2 it cannot be graded.
set -u
grader=$1 submission=$2
shift 2
[ -e "$submission" ] || { echo "error: $submission: no such file or folder: give SUBMISSION=file.c or a folder of them" >&2; exit 2; }
[ -d "$submission" ] || exec "$grader" --submission "$submission" "$@"

out=build/out/grade previous=''
for option in "$@"; do
    case $option in --out=*) out=${option#*=} ;; esac
    [ "$previous" != --out ] || out=$option
    previous=$option
done
shopt -s nullglob
files=("$submission"/*.c "$submission"/*/train.c)
[ ${#files[@]} -gt 0 ] || { echo "error: $submission: no submission in it: expected files NAME.c, or folders NAME with a train.c" >&2; exit 2; }
mkdir -p "$out" || exit 2
secret=$(od -An -N6 -tu8 /dev/urandom | tr -d ' ')
summary=$out/summary.csv
echo 'name,score,most,passed,builds,runs,weights,shared,training,validation,training_accuracy,validation_accuracy,seconds,first_fault' >"$summary.part"
trap 'exit 130' INT
trap 'exit 143' TERM

worst=0 number=0
printf '%-24s  %6s  %-6s  %s\n' submission points passed "first fault"
for file in "${files[@]}"; do
    number=$((number + 1))
    name=${file#"$submission"/} name=${name%/train.c} name=${name%.c}
    folder=$out/$name
    mkdir -p "$folder" && rm -f "$folder/row.csv"
    "$grader" --secret "$secret" "$@" --submission "$file" --name "$name" --out "$folder" >"$folder/grade.txt" 2>&1
    status=$?
    if [ ! -s "$folder/row.csv" ]; then # the grader itself failed: that is the instructor's to see, not 0 points
        said=$(grep -m 1 'error: ' "$folder/grade.txt" | tr -d '"') status=2
        printf '"%s",,,error,,,,,,,,,,"%s"\n' "${name//\"/\"\"}" "${said:-the grader ended with status $status}" >"$folder/row.csv"
    fi
    cat "$folder/row.csv" >>"$summary.part"
    row=$(cat "$folder/row.csv")
    fields=${row#\"*\",}
    IFS=, read -r score _ passed _ <<<"$fields"
    fault=${row%\"} fault=${fault##*,\"}
    printf '%-24s  %6s  %-6s  %s\n' "$name" "${score:--}" "$passed" "$fault"
    [ $status -le $worst ] || worst=$status
done
mv "$summary.part" "$summary"
echo "$number submissions; $summary, and a folder for each in $out"
exit $worst
