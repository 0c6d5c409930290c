#!/usr/bin/env bash
# datasets/fetch.sh [fashion] [cifar10]: fetch data sets from their official sites into data/ (both,
# unless named), and verify them.
#
# A download stays in data/.part/ until its SHA-256 is the one in datasets/SHA256SUMS; only then
# does the whole set appear under its final name. An interrupted download is resumed, by this run
# and by the next. Exit status: 0 all present and verified, 2 not.
#
# For mirrors and tests: BASE_URL_FASHION, BASE_URL_CIFAR10; FETCH_SUMS (another SHA256SUMS),
# FETCH_INTO (another data/), FETCH_TRIES, FETCH_PATIENCE (seconds without a byte before a try is
# given up).
set -uo pipefail
export LC_ALL=C
cd "$(dirname "$0")/.." || exit 2
url_fashion=${BASE_URL_FASHION:-http://fashion-mnist.s3-website.eu-central-1.amazonaws.com}
url_cifar10=${BASE_URL_CIFAR10:-https://www.cs.toronto.edu/~kriz}
sums=${FETCH_SUMS:-datasets/SHA256SUMS}
data=${FETCH_INTO:-data}
part=$data/.part
tries=${FETCH_TRIES:-5}
patience=${FETCH_PATIENCE:-30}

fail() { # words; no control character of what they quote reaches the terminal
    printf 'error: %s\n' "$(printf %s "$*" | tr '\000-\037\177' '?')" >&2
    exit 2
}
if command -v sha256sum >/dev/null; then summer=(sha256sum); else summer=(shasum -a 256); fi
sha256() { "${summer[@]}" "$1" | cut -d ' ' -f 1; }
size_of() { if [ -e "$1" ]; then wc -c <"$1" | tr -d ' '; else echo 0; fi; }
expected_of() { awk -v name="$1" '$2 == name { print $1 }' "$sums"; } # NAME's SHA-256
is_gzip() { [ "$(head -c 2 "$1" | od -An -tx1 | tr -d ' \n')" = 1f8b ]; }

# By curl's exit status and the server's answer: may the same request succeed a moment later?
may_pass() { # status, HTTP code
    case $1 in
        5 | 6 | 7 | 18 | 28 | 35 | 52 | 55 | 56 | 92) return 0 ;; # broken connections
        22) [ "$2" -ge 500 ] ;;
        *) return 1 ;;
    esac
}
why() { # status, HTTP code: as a sentence
    case $1 in
        5 | 6) echo "the server's name is not known: is there a network?" ;;
        7) echo "no connection: is there a network?" ;;
        18 | 52 | 55 | 56 | 92) echo "the connection broke off." ;;
        22) echo "the server answered $2." ;;
        23) echo "the disk is full, or $part cannot be written." ;;
        28) echo "not a byte for $patience seconds." ;;
        63) echo "far larger than the data set: another file?" ;;
        *) echo "curl stopped with status $1." ;;
    esac
}

# One request, from the end of FILE on; on a terminal with a progress bar. Sets status (curl's) and
# code (HTTP's).
request() { # file, URL
    local show=(--silent --show-error)
    [ ! -t 2 ] || show=(--progress-bar)
    code=$(curl "${show[@]}" --fail --location --connect-timeout 20 --speed-limit 1 \
        --speed-time "$patience" --max-filesize 200000000 --continue-at - --output "$1" \
        --write-out '%{http_code}' "$2" \
        2> >(if [ -t 2 ]; then cat >&2; else cat >"$part/log"; fi))
    status=$?
}

# NAME of SHA256SUMS -> $part/NAME, whole and verified.
download() { # name, URL
    local file=$part/$1 url=$2 want try status=0 code=0 older=
    want=$(expected_of "$1")
    [ -n "$want" ] || fail "$sums has no line for $1"
    mkdir -p "$(dirname "$file")" || fail "$(dirname "$file") cannot be created"
    if [ -s "$file" ]; then # left by an earlier run
        older=1
        [ "$(sha256 "$file")" != "$want" ] || return 0
    fi
    for ((try = 1; try <= tries; try++)); do
        echo "  $url$([ ! -s "$file" ] || echo ", from byte $(size_of "$file")")"
        request "$file" "$url"
        if [ "$status" = 33 ] || [ "$code" = 416 ]; then
            echo "  the server cannot resume it: from the start"
            rm -f "$file"
        elif [ "$status" = 0 ] && [ -n "$older" ] && [ "$(sha256 "$file")" != "$want" ]; then
            echo "  it does not match the part from an earlier run: from the start"
            rm -f "$file"
        elif [ "$status" = 0 ]; then
            verify "$file" "$url" "$want"
            return
        elif may_pass "$status" "$code"; then
            echo "  try $try of $tries: $(why "$status" "$code")"
            [ "$try" = "$tries" ] || sleep $((try < 5 ? try - 1 : 5))
            continue
        else
            fail "$url: $(why "$status" "$code")"
        fi
        older=
    done
    fail "$url: $tries tries failed: $(why "$status" "$code")" \
        "Run 'make datasets' again to resume from byte $(size_of "$file")"
}

# A wrong download is not kept.
verify() { # file, URL, SHA-256
    local what
    [ "$(sha256 "$1")" != "$3" ] || return 0
    what="$(size_of "$1") bytes with SHA-256 $(sha256 "$1"), expected $3:"
    what="$what damaged on its way, or another file?"
    is_gzip "$1" ||
        what="$(size_of "$1") bytes that are no gzip data: a log-in page, or an error page?"
    rm -f "$1"
    fail "$2: $what"
}

# The folder takes its final name at once, replacing an older one.
install_folder() { # from, to
    rm -rf "$part/old"
    [ ! -e "$2" ] || mv "$2" "$part/old" || fail "$2 cannot be replaced"
    mv "$1" "$2" || fail "$2 cannot be written"
    rm -rf "$part/old"
}

# Is the folder complete, by the SHA256SUMS that fetch.sh left in it?
whole() { [ -s "$1/SHA256SUMS" ] && (cd "$1" && "${summer[@]}" -c SHA256SUMS >/dev/null 2>&1); }

fetch_fashion() {
    local to=$data/fashion-mnist file
    if whole "$to"; then echo "Fashion-MNIST: $to is complete and verified"; return; fi
    echo "Fashion-MNIST (30 MB) into $to"
    for file in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
        download "fashion-mnist/$file-ubyte.gz" "$url_fashion/$file-ubyte.gz"
    done
    sed -n 's|  fashion-mnist/|  |p' "$sums" >"$part/fashion-mnist/SHA256SUMS" ||
        fail "$part cannot be written"
    install_folder "$part/fashion-mnist" "$to"
    echo "Fashion-MNIST: fetched and verified"
}

fetch_cifar10() {
    local to=$data/cifar-10-batches-bin tar=cifar-10-binary.tar.gz file
    local folder=$part/unpacked/cifar-10-batches-bin
    if whole "$to"; then echo "CIFAR-10: $to is complete and verified"; return; fi
    echo "CIFAR-10 (170 MB, unpacked 184 MB) into $to"
    download "$tar" "$url_cifar10/$tar"
    rm -rf "$part/unpacked"
    mkdir -p "$part/unpacked" || fail "$part cannot be written"
    tar -xzf "$part/$tar" -C "$part/unpacked" ||
        fail "$part/$tar cannot be unpacked: is the disk full?"
    for file in data_batch_{1..5}.bin test_batch.bin; do
        [ -s "$folder/$file" ] || fail "$part/$tar: no cifar-10-batches-bin/$file in it"
        echo "$(sha256 "$folder/$file")  $file"
    done >"$part/unpacked/SHA256SUMS" || exit 2
    mv "$part/unpacked/SHA256SUMS" "$folder/" || fail "$part cannot be written"
    install_folder "$folder" "$to"
    rm -rf "$part/unpacked"
    rm -f "$part/$tar"
    echo "CIFAR-10: fetched and verified"
}

command -v curl >/dev/null || fail "curl is missing: 'make doctor' says how to install it"
[ -r "$sums" ] || fail "$sums cannot be read"
[ $# -gt 0 ] || set -- fashion cifar10
for set in "$@"; do
    case $set in
        fashion | cifar10) ;;
        *) fail "data set '$set': expected fashion or cifar10" ;;
    esac
done
mkdir -p "$part" || fail "$part cannot be created"
if command -v flock >/dev/null; then
    exec 9>"$part/lock"
    flock -n 9 || fail "another datasets/fetch.sh is at work in $data"
fi
worst=0
for set in "$@"; do # one that fails does not keep the other away
    (if [ "$set" = fashion ]; then fetch_fashion; else fetch_cifar10; fi) || worst=2
done
rm -f "$part/lock" "$part/log"
rmdir "$part/fashion-mnist" "$part" 2>/dev/null
exit $worst
