#!/usr/bin/env bash
# worklog.sh LOG: list what a work log lacks (lab2_ddp/worklog.md shows the format). Each entry,
# "## …", needs a hypothesis, a command, a measurement and a next step; a measurement names a row
# (from 1) and a column of a metrics.csv under this folder, and its number must be there, to 1 %. A
# person has to judge the hypothesis. Exit status: 0 complete, 1 incomplete, 2 no log.
set -u
export LC_ALL=C
log=${1:?usage: worklog.sh LOG}
{ [ -f "$log" ] && [ "$(wc -c <"$log")" -le 1000000 ]; } ||
    { echo "$log: no such file, or above 1 MB" >&2; exit 2; }

# The value of a column in a row; nothing: not there.
value_in() { # file, row, column
    row=$2 column=$3 awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == ENVIRON["column"]) at = i }
        NR == ENVIRON["row"] + 1 && at { print $at; exit }' "$1"
}

# What is wrong with "FILE row N COLUMN = VALUE"; nothing: it is there.
judge() {
    local file row column value found
    if ! [[ $1 =~ ^([^ ]+)\ row\ ([1-9][0-9]{0,5})\ ([a-z_0-9]+)\ =\ ([-+0-9.eE]+)( .*)?$ ]]; then
        echo "expected 'FOLDER/metrics.csv row 3 test_accuracy = 0.81'"; return
    fi
    file=${BASH_REMATCH[1]} row=${BASH_REMATCH[2]}
    column=${BASH_REMATCH[3]} value=${BASH_REMATCH[4]}
    case /$file/ in
        //* | */../*) echo "$file: expected a path under this folder"; return ;;
    esac
    [ -f "$file" ] || { echo "$file: no such file: keep the results of what you log"; return; }
    [ "$(wc -c <"$file")" -le 10000000 ] || { echo "$file: above 10 MB"; return; }
    found=$(value_in "$file" "$row" "$column" | tr -cd '[:print:]' | cut -c 1-40)
    if [ -z "$found" ]; then
        [ "$row" -lt "$(awk 'END { print NR }' "$file")" ] &&
            echo "$file: no column $column in row $row" || echo "$file: it ends before row $row"
        return
    fi
    awk -v found="$found" -v value="$value" 'BEGIN {
        number = "^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?$"
        if (found !~ number || value !~ number) exit 1
        off = found - value; limit = 0.01 * (found < 0 ? -found : found)
        exit !(off <= limit && off >= -limit) }' ||
        echo "$file, row $row: $column is $found, and the log says $value"
}

entries=0 missing=0 title='' seen=''
say() { echo "$log, entry '$title': $1" | tr -cd '[:print:]\n'; missing=$((missing + 1)); }
close_entry() {
    [ -n "$title" ] || return
    for part in hypothesis command measured 'what next'; do
        case $seen in *"|$part|"*) ;; *) say "no $part" ;; esac
    done
}
while IFS= read -r line || [ -n "$line" ]; do
    case $line in
        '## '*)
            close_entry
            title=${line#\#\# } seen='' entries=$((entries + 1))
            [[ $title != *'(what is the question?)'* ]] ||
                say 'the question is still the template' ;;
        '- hypothesis: '* | '- command: '* | '- measured: '* | '- what next: '*)
            part=${line#- } text=${line#*: }
            part=${part%%: *}
            case $text in
                '('* | '' | ' ') say "$part: still the template" ;;
                *)
                    wrong=''
                    if [ "$part" = measured ]; then wrong=$(judge "$text"); fi
                    [ -z "$wrong" ] || say "$wrong" ;;
            esac
            seen="$seen|$part|" ;;
    esac
done <"$log"
close_entry
[ "$entries" -gt 0 ] || { echo "$log: no entry: each begins with '## '"; exit 1; }
echo "$log: $entries entries, $missing things missing or wrong"
[ "$missing" = 0 ]
