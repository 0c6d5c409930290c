#!/usr/bin/env bash
# grade.sh GRADER SUBMISSION OPTIONS…: grades one file, or every submission in a folder: each NAME.c
# and each NAME/train.c.
#
# A folder may take a night, so no submission can stop the others. Each gets its own folder under
# OUT, with its table (grade.txt), results.json and logs; OUT/summary.csv has a row for each. All
# are scored on the same images. Exit status: 0 every criterion is met (by every submission), 1 not,
# 2 something could not be graded.
set -u
grader=$1 submission=$2
shift 2
fail() { # words; no control character of what they quote reaches the terminal
    printf 'error: %s\n' "$(printf %s "$*" | tr '\000-\037\177' '?')" >&2
    exit 2
}
[ -e "$submission" ] ||
    fail "$submission: no such file or folder: give SUBMISSION=file.c or a folder of them"
export LABS_PARENT=${LABS_PARENT:-$$} # what this starts ends with it
common/setup/guard.sh watch $$
[ -d "$submission" ] || exec "$grader" --submission "$submission" "$@"

out=build/out/grade previous=''
for option in "$@"; do
    case $option in --out=*) out=${option#*=} ;; esac
    [ "$previous" != --out ] || out=$option
    previous=$option
done
shopt -s nullglob
files=("$submission"/*.c "$submission"/*/train.c)
[ ${#files[@]} -gt 0 ] ||
    fail "$submission: no submission in it: expected files NAME.c, or folders NAME with a train.c"
mkdir -p "$out" || exit 2
# One pile at a time in this folder, as in the folder of each submission (common/folder_lock.h).
# Without flock (util-linux), as on macOS, only those are locked.
if type -P flock >/dev/null; then
    [ ! -L "$out/.lock" ] && { [ ! -e "$out/.lock" ] || [ -f "$out/.lock" ]; } ||
        fail "$out/.lock: is not a regular file: remove it"
    exec 9<>"$out/.lock" || exit 2
    flock -n 9 || fail "$out: in use by $(head -c 300 "$out/.lock" | tr -cd '[:print:]' |
        grep . || echo 'another grader'): wait for it, end it, or use another --out"
    echo "process $$ on $(uname -n) (since $(date +'%H:%M on %e %b'): grade.sh)" >"$out/.lock"
fi
secret=$(od -An -N6 -tu8 /dev/urandom | tr -d ' ')
summary=$out/summary.csv
columns=name,score,most,passed,builds,runs,weights,equal,gradients,images,training,validation
echo "$columns,training_accuracy,validation_accuracy,seconds,first_fault" >"$summary.part"

worst=0 count=0
printf '%-24s  %6s  %-6s  %s\n' submission points passed "first fault"
for file in "${files[@]}"; do
    count=$((count + 1))
    name=${file#"$submission"/} name=${name%/train.c} name=${name%.c}
    folder=$out/$name
    mkdir -p "$folder" && rm -f "$folder/row.csv"
    "$grader" --secret "$secret" "$@" --submission "$file" --name "$name" --out "$folder" \
        >"$folder/grade.txt" 2>&1 9>&-
    status=$?
    if [ ! -s "$folder/row.csv" ]; then # the grader itself failed: not 0 points, but an error
        error=$(grep -m 1 'error: ' "$folder/grade.txt" | tr -d '"')
        error=${error:-the grader ended with status $status} status=2
        printf '"%s",,,error,,,,,,,,,,,,"%s"\n' "${name//\"/\"\"}" "$error" >"$folder/row.csv"
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
echo "$count submissions; $summary, and a folder for each in $out"
exit $worst
