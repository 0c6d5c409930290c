#!/usr/bin/env bash
# handout.sh OUT: the students' tarball, OUT/labs.tar.gz: everything except the solutions, the tests
# that need or reveal them, and the instructors' own tests; with AGENTS.md, for assistants, at its
# top. The same files give the same bytes.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
out=$1; mkdir -p "$out"
rooms=()
for room in Makefile README.md LICENSE .gitignore .clang-format make common datasets lab*_* \
    assessment tests docs; do
    [ ! -e "$room" ] || rooms+=("$room")
done
find "${rooms[@]}" \( -name solution -o -name __pycache__ \
    -o -path tests/hidden -o -path tests/unit/test_ranks.c -o -path tests/mutants \
    -o -path tests/unit/test_model_parts.c -o -path tests/unit/test_muon.c -o -path tests/e2e \
    -o -path tests/torch \
    -o -path 'tests/support/five_*' -o -path tests/unit/test_link_times.c \
    -o -path tests/tools/link_table.c -o -path tests/fuzz -o -name '.?*' \
    ! -name .gitignore ! -name .clang-format -o -name '*~' \) \
    -prune -o -type f ! -path README.md -print | sort >"$out/files"
# The README without what only the course's makers can run.
sed '/^<!-- makers/,/^<!-- end of makers/d' README.md >"$out/README.md"
tar -c -f - --format=ustar --no-recursion --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --mtime='2000-01-01 00:00:00Z' --transform='s,^common/setup/agents.md$,AGENTS.md,' \
    --transform='s,^,labs/,' -T "$out/files" -C "$out" README.md |
    gzip -n -9 >"$out/labs.tar.gz.part"
mv "$out/labs.tar.gz.part" "$out/labs.tar.gz"
size=$(wc -c <"$out/labs.tar.gz")
files=$(($(wc -l <"$out/files") + 1))
echo "handout: $out/labs.tar.gz, $files files, $((size / 1024)) KiB, no solutions"
