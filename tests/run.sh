#!/usr/bin/env bash
# tests/run.sh BUILD [NAME…]: runs every case of BUILD/tests/test_* and every tests/e2e/*.sh, each in a process of its own with a time limit, two at
# a time; goes on after a failure; ends with "N passed, N failed, N skipped". NAME: only cases whose "program/case" contains it.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1; shift
work=$(mktemp -d); export TMPDIR=$work BUILD=$build
trap 'rm -rf "$work"' EXIT
list() { # lines: id seconds command…
    for program in "$build"/tests/test_*; do
        [ -x "$program" ] && [ ! -d "$program" ] || continue
        case $program in *.d|*.o) continue ;; esac
        "$program" --list | while read -r name ranks seconds; do
            if [ "$ranks" = 0 ]; then echo "$(basename "$program")/$name $seconds $program $name"
            else echo "$(basename "$program")/$name $seconds common/setup/launch.sh --np $ranks $program $name"; fi
        done
    done
    for script in tests/e2e/[0-9a-z]*.sh; do
        [ -e "$script" ] || continue
        seconds=$(sed -n 's/^# seconds: //p' "$script" | head -n 1)
        echo "e2e/$(basename "$script" .sh) ${seconds:-120} bash $script"
    done
}
one() { # id seconds command…
    local id=$1 seconds=$2 log status began
    shift 2
    log=$work/$(echo "$id" | tr / _).log; began=$SECONDS
    [ -z "${SAN:-}" ] || seconds=$((seconds * 5))
    mkdir -p "$log.d"
    TMPDIR=$log.d timeout --kill-after=5 "$seconds" "$@" >"$log" 2>&1 </dev/null; status=$?
    rm -rf "$log.d"
    case $status in
        0) echo "ok    $id ($((SECONDS - began)) s)"; echo pass >"$log.result" ;;
        77) echo "skip  $id: $(grep -m 1 -i skipped "$log" || echo 'skipped: gave no reason')"; echo skip >"$log.result" ;;
        *) [ $status -lt 124 ] || [ $status -gt 137 ] || echo "time limit of $seconds s passed, or killed" >>"$log"
           { echo "FAIL  $id (exit $status)"; sed 's/^/      /' "$log" | tail -n 40; }; echo fail >"$log.result" ;;
    esac
}
export -f one; export work
list | { if [ $# -gt 0 ]; then grep -F "$(printf '%s\n' "$@")"; else cat; fi; } >"$work/cases"
xargs -P "${JOBS:-2}" -L 1 bash -c 'one "$@"' _ <"$work/cases"
count() { cat "$work"/*.result 2>/dev/null | grep -c "^$1"; }
total=$(wc -l <"$work/cases"); passed=$(count pass); skipped=$(count skip)
failed=$((total - passed - skipped))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
