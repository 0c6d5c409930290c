#!/usr/bin/env bash
# record.sh PROGRAMS [ONLY [DRAW]]: the expected results, into LAB/recorded/NAME/: the report,
# metrics.csv; of lab 1's part 5 the surfaces; of lab 3's parts 1 and 7 every training (tries.csv,
# sweep.csv). The labs' parts.txt list them. A figure in docs/ that parts.txt makes with the same
# options is drawn again, so that it and the text's numbers are of one run.
#
# ONLY: those with this in their name. What is recorded is not run again: remove its folder for
# that; speed.csv alone to measure the speeds of lab 3's part 1 again, without training. What was
# interrupted resumes; in those two parts, where it stopped. DRAW=1 trains nothing: it draws what is
# recorded of them once more, into build/record/. CIFAR-10 must be there (make datasets), or its
# parts are left out, and named.
set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 2
programs=$1 only=${2-} draw=${3-}
work=${programs%%/*}/record
export HEADLESS=1

# Of what a program printed: no progress, no paths of this machine.
report_of() {
    grep -vE '[0-9] %  [0-9,]+/[0-9,]+ |^results|^no window|build/' "$1" |
        sed -E 's|^(  data .*), from /[^,]*|\1|'
}

one() { # name, ranks, program, options
    local out=$work/$1 folder=${3%%/*}/recorded/$1 dir began=$SECONDS status=0 recorded=()
    if [ -n "$draw" ]; then
        [ -e "$folder/sweep.csv" ] || [ -e "$folder/landscape.json" ] || return 0
        recorded=(--recorded "$folder") out=$work/drawn/$1
    elif [ -e "$folder/sweep.csv" ] && [ ! -e "$folder/speed.csv" ] && [[ $3 == */1_* ]]; then
        recorded=(--recorded "$folder")
    elif [ -e "$folder/report.txt" ]; then
        echo "$1: recorded already"
        return
    fi
    mkdir -p "$out"
    # shellcheck disable=SC2086 # words
    common/setup/launch.sh --np "$2" "$programs/$3" --out "$out" $4 "${recorded[@]}" \
        >"$out/log" 2>&1 || status=$?
    if [ $status != 0 ]; then
        echo "$1: status $status: $(grep -m 1 '^error' "$out/log" || tail -n 1 "$out/log")"
        return $status
    fi
    dir=$(dirname "$out"/*/config.json)
    [ -z "$draw" ] || { echo "$1: drawn: $(echo "$dir"/*.png)"; return; }
    mkdir -p "$folder.new"
    {
        echo "${3#*/} $4 (on $2 ranks)"
        report_of "$out/log"
        if [ ${#recorded[@]} = 0 ]; then echo "wall time of the last start: $((SECONDS - began)) s"
        else grep '^wall time' "$folder/report.txt"; fi
    } >"$folder.new/report.txt"
    for file in metrics tries sweep critical speed; do # metrics: made from the sweep, where it is
        [ $file != metrics ] || [ ! -s "$dir/sweep.csv" ] || continue
        [ ! -s "$dir/$file.csv" ] || cp "$dir/$file.csv" "$folder.new/"
        [ ${#recorded[@]} = 0 ] || [ ! -e "$folder/$file.csv" ] || [ $file = metrics ] ||
            cp "$folder/$file.csv" "$folder.new/"
    done
    [ ! -e "$dir/landscape.json" ] || cp "$dir/landscape.json" "$dir"/*.points.csv "$folder.new/"
    rm -rf "$folder"
    mv "$folder.new" "$folder"
    while IFS='|' read -r _ _ figures _; do
        for figure in $figures; do cp "$out/${figure#*=}.png" "docs/${figure%=*}.png"; done
    done < <(common/setup/parts.sh runs figure lab*_* | awk -F '|' -v of="$3" -v options="$4" \
        '$1 == of && $4 == options')
    echo "$1: recorded in $((SECONDS - began)) s"
}

failed=0 any=''
while IFS='|' read -r program ranks name options; do
    [[ $name == *"$only"* ]] || continue
    any=yes
    one "$name" "$ranks" "$program" "$options" </dev/null || failed=1
done < <(common/setup/parts.sh runs record lab*_*)
[ -n "$any" ] || { echo "ONLY=$only: none of: $(common/setup/parts.sh runs record lab*_* |
    cut -d '|' -f 3 | paste -sd ' ')" >&2
    exit 2; }
exit $failed
