#!/usr/bin/env bash
# The self-checks of all labs: every line is PASS on the reference, with all points, and TODO on the
# files that students get; no other line has one of these words.
# seconds: 600
# ranks: 0
set -u
export LABS_CHECK_SECONDS=600 # nothing hangs here; a busy machine takes its time
. tests/e2e/_work.sh
verdicts() { sed -nE 's/^(PASS|FAIL|TODO)  (step [0-9]|[A-Za-z0-9_]+) .*/\1 \2/p' "$work/$1"; }
check() { # lab, sol or student, verdict: of each of $exercises lines
    common/setup/check.sh "$BUILD/$2/$1"/check/* >"$work/$2"
    local status=$?
    [ $status = 0 ] && [ "$(verdicts "$2" | grep -c "^$3 ")" = $exercises ] &&
        [ "$(grep -cE 'PASS|FAIL|TODO' "$work/$2")" = $exercises ] &&
        ! grep 'your code is there' "$work/$2" ||
        { echo "$1, $2: expected $exercises lines $3 and exit 0, got exit $status and:"
          awk -v right="$3" '/^(PASS|FAIL|TODO) / { other = $1 != right } other' "$work/$2"
          tail -n 1 "$work/$2"; exit 1; }
}
while read -r lab exercises points; do
    check $lab sol PASS
    check $lab student TODO
    grep -qx "$points of $points points" "$work/sol" &&
        grep -qx "0 of $points points, $exercises to do" "$work/student" ||
        { echo "$lab: expected $points points:"; tail -qn 1 "$work"/{sol,student}; exit 1; }
    diff <(verdicts sol | cut -d ' ' -f 2-) <(verdicts student | cut -d ' ' -f 2-) || exit 1
    cat "$work/sol"
done <<'END'
lab1_gd 44 161
lab2_ddp 62 296
lab3_scale 42 156
END
