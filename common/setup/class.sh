#!/usr/bin/env bash
# class.sh efficiency|mistakes FOLDER [RANKS [LINK]]: what a class handed in: FOLDER/NAME/ has
#
# for mistakes: mistakes.txt, where check.sh keeps what was wrong in an exercise. Says how many made
# each mistake, the most frequent first.
#
# for efficiency: config.json and metrics.csv of a run of lab 2's 4_overlap, all of the same
# command:
#
#     make lab2 ONLY=4_overlap NP=4 ARGS="--link 400Mbit/s,500us --clock virtual"
#
# The efficiency is the share of an update in which the rank does not wait for the network, with
# overlap, on that link; the weights must be those of one all-reduce. The numbers are the
# students' claims: for the top places run their exercises 4a and 4b yourself, by that command; on
# the virtual clock the result must repeat. Exit status 2: the folder is missing.
set -u
export LC_ALL=C
usage='usage: class.sh efficiency|mistakes FOLDER [RANKS [LINK]]'
what=${1:?$usage} folder=${2-}
[ -n "$folder" ] || { echo "error: which folder? SUBMISSIONS=FOLDER" >&2; exit 2; }
ranks=${3:-2} link=${4:-400Mbit/s,500us}
[ -d "$folder" ] || { echo "$folder: no such folder" >&2; exit 2; }

# A plain file of moderate size: no link, pipe or device.
plain() { [ -f "$1" ] && [ ! -L "$1" ] && [ "$(wc -c <"$1")" -le 1000000 ]; }

# "efficiency update-ms", or nothing and why on stderr.
judge() { # folder
    if ! { plain "$1/config.json" && plain "$1/metrics.csv"; }; then
        echo "no config.json and metrics.csv"; return 1
    fi
    local has
    for has in '"program": "lab2_overlap"' "\"ranks\": $ranks" "\"link\": \"$link\"" \
        '"clock": "virtual"' '"model": "resnet20"' '"batch": 16'; do
        sed 's/^[ {]*//; s/[ ,}]*$//' "$1/config.json" | grep -qxF -- "$has" ||
            { echo "another run: no $has in config.json"; return 1; }
    done
    # The chosen link's overlapped row comes first. bandwidth,latency,exchange,least,steady,update,
    # exposed,predicted,difference
    awk -F, '
        function number(x) { return x ~ /^[0-9]+([.][0-9]+)?(e[-+]?[0-9]+)?$/ }
        /^[^,]*,[^,]*,overlapped: buckets,/ && !found {
            found = 1
            if (NF != 9 || !number($6) || !number($7) || !number($9)) why = "not a number"
            else if (!($6 > 0 && $6 < 1000 && $7 >= 0 && $7 < $6)) why = "no time of an update"
            else if (!($9 <= 1e-4)) why = "the weights are not those of one all-reduce"
            else printf "%.4f %.2f\n", 1 - $7 / $6, 1000 * $6
        }
        END { if (!found) why = "no overlapped exchange"
              if (why) { print why; exit 1 } }' "$1/metrics.csv"
}

printable() { # the most bytes of a line: lines, in UTF-8, without control characters
    tr -d '\000-\011\013-\037\177' | sed 's/\xc2[\x80-\x9f]//g' | cut -c "1-$1" |
        iconv -c -f UTF-8 -t UTF-8
}
listed=0 left_out=0 table=''
shopt -s nullglob
for one in "$folder"/*/; do
    name=$(printf %s "$(basename "$one")" | tr '\n' ' ' | printable 40)
    if [ "$what" = mistakes ]; then
        if plain "${one}mistakes.txt"; then
            table+=$(head -n 500 "${one}mistakes.txt" | printable 300 | sort -u)$'\n'
            listed=$((listed + 1))
        else echo "left out: ${name:-?}: no mistakes.txt"; left_out=$((left_out + 1))
        fi
    elif figures=$(judge "${one%/}" 2>&1); then
        table+="$figures ${name:-?}"$'\n' listed=$((listed + 1))
    else
        why=$(tail -n 1 <<<"$figures" | printable 100)
        echo "left out: ${name:-?}: $why"
        left_out=$((left_out + 1))
    fi
done
if [ "$what" = mistakes ]; then
    printf 'students  mistake\n'
    printf '%s' "$table" | grep . | sort | uniq -c | sort -k1,1nr -k2 |
        awk '{ printf "%8d  ", $1; sub(/^ *[0-9]+ /, ""); print }'
    echo "$listed students, $left_out left out"
    exit
fi
echo "efficiency with overlap, $ranks ranks, $link, virtual clock: as handed in, not yet run again"
printf '%5s  %10s  %9s  %s\n' place efficiency 'update ms' name
printf '%s' "$table" | sort -k1,1nr -k2,2n -k3 |
    awk '{ printf "%5d  %8.1f %%  %9.2f  ", NR, 100 * $1, $2; sub(/^[^ ]* [^ ]* /, ""); print }'
echo "$listed listed, $left_out left out"
