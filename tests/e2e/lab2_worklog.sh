#!/usr/bin/env bash
# make worklog: what is missing in a work log, and figures that are not in the results; make
# class's tables: places by efficiency, mistakes by students, and hostile folders left out.
# seconds: 600
# sanitizers: no
set -u
. tests/e2e/_work.sh
expect() { # status, pattern, command…
    local status=$1 pattern=$2 got=0
    shift 2
    "$@" >"$work/said" 2>&1 || got=$?
    { [ "$got" = "$status" ] && grep -qE -- "$pattern" "$work/said"; } ||
        { echo "wrong: $*: exit $got, expected $status and '$pattern':"; cat "$work/said"
          failed=1; }
}
root=$PWD

# ---- the work log ----
cd "$work" || exit 2
log() { printf '%s\n' "$@" >log.md; }
# shellcheck disable=SC2317  # expect calls it
check() { "$root/common/setup/worklog.sh" log.md; }
mkdir -p runs/lab2_train
printf 'epoch,loss,test_accuracy\n1,1.5,0.61\n2,0.75,0.8123\n' >runs/lab2_train/metrics.csv
# shellcheck disable=SC2016  # nothing is to be expanded, here and below
whole=('## 1. Why?' '- hypothesis: 0.8, because' '- command: `make lab2`'
    '- measured: runs/lab2_train/metrics.csv row 2 test_accuracy = 0.81' '- what next: more')
log "${whole[@]}"
expect 0 '1 entries, 0 things' check
expect 2 'no such file' "$root/common/setup/worklog.sh" nowhere.md
cp "$root/lab2_ddp/worklog.md" log.md
expect 1 'question is still the template' check
log 'words'
expect 1 'no entry' check
log "${whole[@]:0:4}"
expect 1 "'1. Why\?': no what next" check
log '## a' "${whole[@]:1:1}" "${whole[@]}"
expect 1 "'a': no command" check
measured() { log "${whole[@]:0:3}" "- measured: $1" "${whole[4]}"; }
measured 'runs/lab2_train/metrics.csv row 2 test_accuracy = 0.91'
expect 1 'test_accuracy is 0.8123, and the log says 0.91' check
measured 'runs/lab2_train/metrics.csv row 2 nothing = 0.91'
expect 1 'no column nothing in row 2' check
measured 'runs/lab2_train/metrics.csv row 3 loss = 0.91'
expect 1 'it ends before row 3' check
measured '/etc/passwd row 1 a = 1'
expect 1 'a path under this folder' check
measured 'runs/../../passwd row 1 a = 1'
expect 1 'a path under this folder' check
measured 'gone.csv row 1 a = 1'
expect 1 'no such file' check
measured 'very well'
expect 1 "expected 'FOLDER/metrics.csv row" check
# shellcheck disable=SC2016  # nothing is to be expanded
measured '$(touch${IFS}pwned) row 1 a = 1'
expect 1 'no such file' check
[ ! -e pwned ] || { echo "wrong: the log was executed"; failed=1; }
mkfifo pipe
measured 'pipe row 1 a = 1'
expect 1 'no such file' timeout 5 "$root/common/setup/worklog.sh" log.md

# ---- the class ----
hand_in() { # name, exposed, difference, [ranks]
    mkdir -p "class/$1"
    printf '%s\n' '{' '  "program": "lab2_overlap",' '  "options": {' \
        '    "link": "400Mbit/s,500us",' '    "clock": "virtual",' '    "model": "resnet20",' \
        '    "batch": 16' '  },' "  \"ranks\": ${4:-2}," '  "x": 1' '}' >"class/$1/config.json"
    printf '%s\n' bandwidth,latency,exchange,least,steady,update,exposed,predicted,difference \
        "5e+07,0.0005,flat: one,1,0,0.05,0.02,0.02,0" \
        "5e+07,0.0005,overlapped: buckets,100000,0,0.05,$2,0.002,$3" >"class/$1/metrics.csv"
}
# shellcheck disable=SC2317  # expect calls it
board() { timeout 20 "$root/common/setup/class.sh" "${what:-efficiency}" class "$@"; }
expect 2 'no such folder' board
hand_in ada 0.005 0
hand_in bob 0.001 0
hand_in 'mal lory' 0 nan
hand_in negative -1 0
hand_in wrong 0.0001 0.5
hand_in other 0.0001 0 8
hand_in pipe 0.001 0
rm class/pipe/metrics.csv && mkfifo class/pipe/metrics.csv
mkdir class/link class/empty
ln -s /etc/passwd class/link/config.json
ln -s "$work/class/ada/metrics.csv" class/link/metrics.csv
hand_in $'esc\e[2Jape' 0.002 0
expect 0 '^ +1 +98.0 % +50.00  bob' board
expect 0 '^ +2 +96.0 % +50.00  esc.*ape' board
expect 0 '^ +3 +90.0 % +50.00  ada' board
expect 0 '^3 listed, 7 left out' board
expect 0 'left out: wrong: the weights are not' board
expect 0 'left out: other: another run: no "ranks": 2' board
expect 0 'left out: mal lory: not a number' board
expect 0 '^ +1 .*other' board 8
what=mistakes
expect 0 '^0 students, 10 left out' board
printf 'lab2 ring: one\nlab2 ring: two\n' >class/ada/mistakes.txt
printf 'lab2 ring: two\nlab2 ring: two\n%s\n' $'lab1 \e[2Jx: three' >class/bob/mistakes.txt
ln -s "$work/class/ada/mistakes.txt" class/other/mistakes.txt
expect 0 '^ +2  lab2 ring: two' board
expect 0 '^ +1  lab2 ring: one' board
expect 0 '^2 students, 8 left out' board
grep -q $'\e' "$work/said" && { echo "wrong: a control character comes through"; failed=1; }
exit $failed
