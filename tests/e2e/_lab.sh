# shellcheck shell=bash disable=SC2034,SC2154
# _lab.sh: for scripts that run the programs of $lab without a window, in the folder $work:
#
#     run RANKS sol|student/PROGRAM OPTIONS…   behind the words of $options; sets status; what it
#                                              says is in $work/log, its folder is $results
#     is STATUS [PATTERN]             how the last run must have ended, and a line of its words
#     refused PATTERN                 with status 2 and one line of error
#     stub EXERCISE                   with status 77 and the exercise that is still to do
#     agree RANKS OTHERS sol/PROGRAM OPTIONS…  both numbers of ranks must find the same metrics.csv
#     table AWK                       whose exit status judges the last run's metrics.csv
#     figure NAME                     which the last run must have drawn
. tests/e2e/_work.sh
export HEADLESS=1
options=() out=$work status='' results=''

run() {
    results=$out/${lab%%_*}_${2#*_}
    common/setup/launch.sh --np "$1" "$BUILD/${2/\//\/$lab\/}" --out "$out" "${options[@]}" \
        "${@:3}" >"$work/log" 2>&1
    status=$?
}
is() {
    [ $status = "$1" ] && grep -qE -- "${2-}" "$work/log" ||
        fail "expected status $1 and '${2-}', not $status"
}
refused() { is 2 "$1"; [ "$(grep -c error: "$work/log")" = 1 ] || fail "not one error"; }
stub() { is 77 "TODO in $lab/exercises/$1, line"; }
agree() {
    run "$1" "${@:3}"; is 0
    local first=$results/metrics.csv
    out=$work/others run "$2" "${@:3}"; is 0
    cmp "$first" "$results/metrics.csv" || fail "$2 ranks find something else than $1"
}
table() { awk -F, "$1" "$results/metrics.csv" || fail "the table: $(cat "$results/metrics.csv")"; }
figure() { [ -s "$results/$1.png" ] || fail "no $1.png"; }
