#!/usr/bin/env bash
# handout.sh OUT [CLASS]: the students' tarball, OUT/labs.tar.gz: the files that handout.txt names,
# with AGENTS.md, for assistants, at its top, and the checksums by which update.sh tells a student's
# files from those given out. The same files give the same bytes. Files missing in
# handout.txt are left out and named; if an exercise is filled in, no tarball is made. CLASS: with
# that class's numbers in answers.txt (answers.py), and their key in OUT/class_CLASS.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
out=$1 class=${2-} list=common/setup/handout.txt
[ -z "$class" ] || command -v python3 >/dev/null ||
    { echo "error: CLASS=$class needs python3: install it" >&2; exit 2; }
wrong=()
mkdir -p "$out"
files=$out/files
entries() { # lines "folder name", both perhaps patterns; folder: also "stays" and "given"
    awk '/^#/ { next }
        /^[^ ]/ { folder = substr($1, 1, length($1) - 1) }
        { for (i = /^[^ ]/ ? 2 : 1; i <= NF; i++) print folder, $i }' $list
}
entries | sed '/^stays /d; /^given /d; s,^\. ,,; s, ,/,' | while read -r pattern; do
    compgen -G "$pattern" || echo "$pattern" # is missing, see below
done | sort >"$files"
entries | sed -n 's/^stays //p' >"$out/stays"

while read -r file; do
    if [ -L "$file" ] || [ ! -f "$file" ]; then wrong+=("$file: $list names it; no file is there")
    elif [[ $file == lab*/exercises/*.c ]]; then
        # Without comments: declarations and one function, which does nothing but TODO("…").
        awk '{ text = text $0 "\n" }
            END {
                while ((at = index(text, "/*")) > 0) {
                    rest = substr(text, at + 2); end = index(rest, "*/")
                    text = substr(text, 1, at - 1) (end ? substr(rest, end + 2) : "")
                }
                exit text !~ /^[^{}]*\{[ \n]*TODO\(("[^"]*"[ \n]*)+\);[ \n]*\}[ \n]*$/
            }' "$file" || wrong+=("$file: filled in: its function does more than TODO()")
    fi
done <"$files"
while read -r _ sum file; do
    [ "$(sha256sum 2>/dev/null <"$file" | cut -d ' ' -f 1)" = "$sum" ] ||
        wrong+=("$file: not as it is given out. If it should be so: its new sha256sum into $list")
done < <(grep '^given: ' $list)
if [ ${#wrong[@]} -gt 0 ]; then
    printf 'error: %s\n' "${wrong[@]:0:10}" "no tarball was made: ${#wrong[@]} files are wrong" >&2
    exit 2
fi

# Left out, though no list knows them; not what git ignores, builds and hidden files.
find . -mindepth 1 \( -path './.*' ! -path ./.ci ! -name '.clang-format' ! -name '.git?*' \
    -o -path ./data -o -name __pycache__ -o -type d -exec test -e '{}/.labs-build' \; \) -prune \
    -o ! -type d -print | sed 's,^\./,,' | sort | comm -23 - "$files" |
    awk 'NR == FNR { stays[$0]; next }
        { for (name = $0; name != ""; ) {
            if (name in stays) next
            if (!sub(/\/[^\/]*$/, "", name)) break
        } if (++n <= 20) print "left out, not in common/setup/handout.txt: " $0 }
        END { if (n > 20) print "and " n - 20 " more" }' "$out/stays" -

labs=$out/labs
rm -rf "$labs"; mkdir "$labs"
tar -c -f - -T "$files" | tar -x -f - -C "$labs"
mv "$labs/common/setup/agents.md" "$labs/AGENTS.md"
sed -i '/^[|~+] /d' "$labs"/lab*/check/mistakes.txt # edits of the references
# What the students have to read, without what only the course's makers can run.
for file in README.md common/README.md; do
    sed '/^<!-- makers/,/^<!-- end of makers/d' $file >"$labs/$file"
done
[ -z "$class" ] || common/setup/answers.py "$labs" "$class" "$out/class_$class"
(cd "$labs" && find . -type f | sed 's,^\./,,' | sort | xargs -d '\n' sha256sum) >"$out/sums"
mv "$out/sums" "$labs/common/setup/files.sha256"
(cd "$out" && find labs -type f | sort) >"$files"
tar -c -f - --format=ustar --no-recursion --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --mtime='2000-01-01 00:00:00Z' -C "$out" -T "$files" | gzip -n >"$out/labs.tar.gz.part"
mv "$out/labs.tar.gz.part" "$out/labs.tar.gz"
rm -rf "$labs" "$out/stays"
size=$(wc -c <"$out/labs.tar.gz")
echo "handout: $out/labs.tar.gz, $(wc -l <"$files") files, $((size / 1024)) KiB, no solutions"
[ -z "$class" ] || echo "for you: the answers of class $class: $out/class_$class/lab*/solution/"
