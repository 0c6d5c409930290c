#!/usr/bin/env bash
# zip.sh HANDOUT OUT: the file that Gradescope wants, OUT/autograder.zip: the students' tarball
# (HANDOUT/labs.tar.gz, which holds the grader and no solutions), setup.sh and run_autograder.
set -eu
export LC_ALL=C
handout=$1 out=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$handout/labs.tar.gz" assessment/kit/setup.sh assessment/kit/run_autograder "$folder"
chmod 755 "$folder"/*.sh "$folder/run_autograder"
mkdir -p "$out"
out=$(realpath "$out")
rm -f "$out/autograder.zip"
cd "$folder"
if command -v zip >/dev/null; then zip -q "$out/autograder.zip" ./*
elif command -v python3 >/dev/null; then python3 -m zipfile -c "$out/autograder.zip" ./*
else echo "error: neither zip nor python3 is installed: install one" >&2; exit 2
fi
echo "$out/autograder.zip, $(($(wc -c <"$out/autograder.zip") / 1024)) KiB: upload it to Gradescope"
