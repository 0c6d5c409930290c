# shellcheck shell=bash
# _hostile.sh: for scripts that are a table of hostile cases, one line each:
#
#     refused WORDS COMMAND…    ends with 2 and one line on stderr, "error: …WORDS…"
#     wrong   WORDS COMMAND…    the same with status 1
#     accepted COMMAND…         ends with 0 and says nothing on stderr but that figures are files:
#                               what users need stays possible
#     hostile_done LEAST        the last line: fails if a case failed, or fewer than LEAST ran
#
# Each case has HOSTILE_SECONDS (120, which only ends what hangs) and must leave no file under
# $scratch whose name ends in .tmp, print no control character and nothing of a sanitizer. WORDS is
# a fixed text; NP=2 in front of a line runs the command on that many ranks.
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
hostile_cases=0 hostile_failed=0
hostile_limit=${HOSTILE_SECONDS:-120}

hostile_case() { # status words command…
    local expected=$1 words=$2 status why='' left
    shift 2
    hostile_cases=$((hostile_cases + 1))
    if [ "${NP:-1}" -gt 1 ]; then # Open MPI's own leaks are no case
        set -- env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" common/setup/launch.sh \
            --np "$NP" "$@"
    fi
    timeout --kill-after=5 "$hostile_limit" "$@" >"$scratch/.out" 2>"$scratch/.err" </dev/null
    status=$?
    sed -i '/^no window: /d' "$scratch/.err" # a figure's way, with HEADLESS=1
    left=$(find "$scratch" -name '*.tmp' | head -n 3)
    if [ $status = 124 ] || [ $status = 137 ]; then why="still ran after $hostile_limit s"
    elif [ $status != "$expected" ]; then why="status $status, expected $expected"
    elif grep -q 'broken:\|Sanitizer\|runtime error:' "$scratch/.err" "$scratch/.out"; then
        why='it shows a mistake of our own'
    elif LC_ALL=C tr -d '\n\r\t' <"$scratch/.err" | LC_ALL=C grep -q '[[:cntrl:]]'; then
        why='control characters on stderr'
    elif [ -n "$left" ]; then why="left behind: $left"
    elif [ "$expected" = 0 ]; then
        [ ! -s "$scratch/.err" ] || why='it printed on stderr'
    elif [ "$(wc -l <"$scratch/.err")" != 1 ]; then why='not one line on stderr'
    elif ! grep -q '^\(rank [0-9]*: \)\?error: ' "$scratch/.err"; then why='no "error: "'
    elif ! grep -qF -- "$words" "$scratch/.err"; then why="without the words '$words'"
    fi
    if [ -z "$why" ]; then
        printf 'ok    %s  %s\n' "$*" "$(head -n 1 "$scratch/.err" | cut -c 1-300)" | cat -v
        return
    fi
    hostile_failed=$((hostile_failed + 1))
    {
        printf 'FAIL  %s: %s\n' "$why" "$*" | cat -v
        head -c 2000 "$scratch/.out" "$scratch/.err" | cat -v | sed 's/^/      /'
    } >>"$scratch/.failed" # last: a long output is shown from its end
}
refused() { hostile_case 2 "$@"; }
wrong() { hostile_case 1 "$@"; }
accepted() { hostile_case 0 '' "$@"; }

hostile_done() { # least
    [ ! -e "$scratch/.failed" ] || cat "$scratch/.failed"
    echo "$hostile_cases cases, $hostile_failed failed"
    [ "$hostile_failed" = 0 ] && [ "$hostile_cases" -ge "$1" ]
}
