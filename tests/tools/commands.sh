#!/usr/bin/env bash
# commands.sh [--starts] HANDOUT…: runs the commands that handouts tell their readers to type, with
# the reference solutions and without windows, and says what each took. From a copy of the project's
# built tree (BUILD). A command is an indented line, or `code`, that begins with make lab…, make
# check or make assessment; those with a blank to fill in, HOSTS=, KILL=, NEXT= or NCCL are left
# out, and named.
#
# --starts: does not wait for their ends: what a command says of its own runs for SECONDS_EACH (8)
# at most; it must not have ended with an error by then.
# A line each: seconds, exit status, command. Exit status: 0; 1: a command failed; 2: usage.
set -u
limit=3600 starts=
if [ "${1-}" = --starts ]; then starts=1 limit=${SECONDS_EACH:-8}; shift; fi
[ $# -gt 0 ] || { echo "usage: commands.sh [--starts] HANDOUT…" >&2; exit 2; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT

commands=$(cat "$@" | awk '
    { line = $0
      if (line ~ /^    make /) { sub(/ +#.*/, "", line); sub(/^ +/, "", line); print line; next }
      while (match(line, /`make [^`]*`/)) {
          print substr(line, RSTART + 1, RLENGTH - 2); line = substr(line, RSTART + RLENGTH) } }' |
    grep -E '^make (lab[0-9]|check|assessment)' | sed 's/ SOL=1//' | sort -u)
failed=0
while read -r command; do
    case $command in
        *…* | *'$'* | *[A-Z]_PER_* | *HOSTS=* | *KILL=* | *NEXT=* | *_nccl*)
            printf 'left out       %s\n' "$command"; continue ;;
    esac
    began=$SECONDS
    HEADLESS=1 timeout --signal=INT --kill-after=30 "$limit" bash -c "$command SOL=1" \
        </dev/null >"$log" 2>&1
    status=$?
    [ -n "$starts" ] && [ $status = 124 ] && status=0
    printf '%6d s  %3d  %s\n' $((SECONDS - began)) $status "$command"
    if [ $status != 0 ] || { [ -n "$starts" ] && grep -q '^error' "$log"; }; then
        failed=1
        tail -n 5 "$log" | sed 's/^/            /'
    fi
done <<<"$commands"
exit $failed
