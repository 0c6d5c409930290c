# shellcheck shell=bash disable=SC2034
# _work.sh: for most scripts: the folder $work, removed at the end, and
#
#     wrong WORDS…     prints them and what $work/out, err and log say, and goes on: the script ends
#                      with exit $failed
#     fail WORDS…      the same, and ends
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
wrong() {
    local name
    echo "wrong: $*"
    for name in out err log; do
        [ ! -f "$work/$name" ] || tail -n 60 "$work/$name" | sed 's/^/    /'
    done
    failed=1
}
fail() { wrong "$@"; exit 1; }
