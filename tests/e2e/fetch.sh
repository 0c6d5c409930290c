#!/usr/bin/env bash
# seconds: 300
# sanitizers: no
# datasets/fetch.sh against a server on the loopback that breaks off, corrupts, truncates, refuses;
# small files stand in for the data sets.
set -u
cd "$(dirname "$0")/../.." || exit 2
for tool in python3 curl; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d "${TMPDIR:-/tmp}/fetch-XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
failed=0
wrong() { echo "WRONG: $*"; failed=1; }

# ---- the stand-ins ----
mkdir -p "$work/files/cifar-10-batches-bin" "$work/log"
for name in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
    head -c 20000 /dev/urandom | gzip >"$work/files/$name-ubyte.gz"
done
for name in data_batch_{1..5} test_batch; do
    head -c 5000 /dev/urandom >"$work/files/cifar-10-batches-bin/$name.bin"
done
tar -czf "$work/files/cifar-10-binary.tar.gz" -C "$work/files" cifar-10-batches-bin
(cd "$work/files" && sha256sum cifar-10-binary.tar.gz &&
    sha256sum ./*-ubyte.gz | sed 's|\./|fashion-mnist/|') >"$work/sums"
mkfifo "$work/port"
python3 tests/e2e/faulty_server.py "$work/files" "$work/requests" >"$work/port" &
server=$!
read -r -t 120 port <"$work/port" || { echo "the server did not start"; exit 1; }

# fetch NAME FAULT SET…: into $work/NAME. Sets status; this run's requests are in $work/requests,
# its output in $work/output.
fetch() {
    local into=$work/$1 base=http://127.0.0.1:$port/$2
    shift 2
    : >"$work/requests"
    env no_proxy='*' BASE_URL_FASHION="$base" BASE_URL_CIFAR10="$base" FETCH_SUMS="$work/sums" \
        FETCH_INTO="$into" FETCH_PATIENCE=2 FETCH_TRIES="${TRIES:-5}" \
        datasets/fetch.sh "$@" >"$work/output" 2>&1
    status=$?
}
# What a run that fails must do: exit 2, print one line "error: …" with these words, leave nothing
# under a final name.
expect_failure() { # name, words
    [ $status = 2 ] || wrong "$1: exit $status, expected 2"
    [ "$(grep -c '^error: ' "$work/output")" = 1 ] || wrong "$1: not one error line"
    grep '^error: ' "$work/output" | grep -q -- "$2" ||
        { wrong "$1: no '$2' in:"; cat "$work/output"; }
    [ -z "$(ls "$work/$1")" ] || wrong "$1: left $(ls "$work/$1")"
    echo "$1: $(grep '^error: ' "$work/output")"
}
expect_fashion() { # name
    [ $status = 0 ] || { wrong "$1: exit $status, expected 0:"; cat "$work/output"; }
    for file in "$work"/files/*-ubyte.gz; do
        cmp "$file" "$work/$1/fashion-mnist/${file##*/}" || wrong "$1: ${file##*/}"
    done
    [ ! -e "$work/$1/.part" ] || wrong "$1: .part is left behind"
}
requests() { grep -c -- "$1" "$work/requests"; }

# ---- the good case; again; after damage ----
fetch good good
expect_fashion good
for file in "$work"/files/cifar-10-batches-bin/*; do
    cmp "$file" "$work/good/cifar-10-batches-bin/${file##*/}" || wrong "good: $file"
done
[ "$(requests .)" = 5 ] || wrong "good: $(requests .) requests, expected 5"
fetch good good
[ "$status $(requests .)" = "0 0" ] ||
    wrong "again: exit $status, $(requests .) requests, expected none"
printf x >>"$work/good/fashion-mnist/t10k-labels-idx1-ubyte.gz"
rm "$work/good/cifar-10-batches-bin/data_batch_3.bin"
fetch good good
expect_fashion good
cmp "$work/files/cifar-10-batches-bin/data_batch_3.bin" \
    "$work/good/cifar-10-batches-bin/data_batch_3.bin" || wrong "not repaired"
[ "$(requests .)" = 5 ] || wrong "repair: $(requests .) requests, expected 5"

# ---- broken off: resumed, in this run and by the next ----
fetch breaks breaks fashion
expect_fashion breaks
[ "$(requests 'train-images.*bytes=')" = 2 ] ||
    wrong "breaks: not resumed twice: $(grep train-images "$work/requests")"
[ "$(requests 'train-images.*whole')" = 1 ] ||
    wrong "breaks: started again: $(grep train-images "$work/requests")"
TRIES=2 fetch later dead fashion
expect_failure later "Run 'make datasets' again to resume from byte 20"
fetch later good fashion
expect_fashion later
grep -q 'train-images.*bytes=20-' "$work/requests" || wrong "later: not resumed from byte 20"
fetch norange norange fashion
expect_fashion norange

# ---- a part that an earlier run left and that does not fit: started again ----
mkdir -p "$work/stale/.part/fashion-mnist"
head -c 500 /dev/zero >"$work/stale/.part/fashion-mnist/train-images-idx3-ubyte.gz"
# longer than the whole
head -c 50000 /dev/zero >"$work/stale/.part/fashion-mnist/train-labels-idx1-ubyte.gz"
cp "$work/files/t10k-images-idx3-ubyte.gz" "$work/stale/.part/fashion-mnist/"          # whole
fetch stale good fashion
expect_fashion stale
[ "$(requests t10k-images)" = 0 ] || wrong "stale: a whole part was fetched again"

# ---- not what it should be ----
fetch corrupt corrupt cifar10
expect_failure corrupt "expected $(awk '/tar/ { print $1 }' "$work/sums"): damaged on its way"
fetch short short cifar10; expect_failure short "damaged on its way, or another file?"
fetch long long cifar10; expect_failure long "damaged on its way, or another file?"
fetch page page cifar10; expect_failure page "no gzip data: a log-in page"
fetch missing missing cifar10; expect_failure missing "the server answered 404"
[ "$(requests .)" = 1 ] || wrong "missing: asked $(requests .) times, expected once"
TRIES=2 fetch stalls stalls cifar10; expect_failure stalls "not a byte for 2 seconds"
fetch busy busy cifar10
[ $status = 0 ] || { wrong "busy: exit $status"; cat "$work/output"; }

# ---- an older copy stays if no new one arrives ----
echo changed >>"$work/good/cifar-10-batches-bin/test_batch.bin"
fetch good corrupt cifar10
[ $status = 2 ] || wrong "a corrupt new copy: exit $status"
grep -q changed "$work/good/cifar-10-batches-bin/test_batch.bin" || wrong "the older copy is gone"

# ---- other environments ----
kill "$server"; wait "$server" 2>/dev/null; server=
TRIES=2 fetch offline good fashion; expect_failure offline "no connection: is there a network?"
fetch bad good mnist
[ $status = 2 ] || wrong "bad name: exit $status"
grep -q "expected fashion or cifar10" "$work/output" ||
    wrong "bad name: it prints $(cat "$work/output")"
mkdir -p "$work/locked/.part"
if command -v flock >/dev/null; then
    exec 8>"$work/locked/.part/lock"; flock 8
    fetch locked good fashion; expect_failure locked "another datasets/fetch.sh is at work"
    exec 8>&-
fi
[ $failed = 0 ] && echo "all as expected"
exit $failed
