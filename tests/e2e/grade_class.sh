#!/usr/bin/env bash
# A class as instructors get it: files, folders, archives, archives of archives; odd names, links,
# paths that lead out, bombs, damage. Each gets a row, none reaches another file; reports are well
# formed for any name or compiler message; what was graded is not graded again.
# seconds: 600
# sanitizers: no
set -u
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
. tests/e2e/_work.sh
. tests/e2e/_small_data.sh
small_data "$work" 1000 240
class=$work/class
mkdir -p "$class/jane" "$class/x" "$class/nothing" "$class/linked"
cd "$(dirname "$0")/../.." || exit 2
# None of them compiles: what becomes of trained ones is grade_pile's matter.
source='int main(void) { return <script>alert(1)</script>; }'
for file in jane/train.c x/train.c x.c summary.csv.c '=1+1.c' $'new\nline.c' '<b>&"bold".c' \
    'größe.c' '-rf.c' '..c' $'none\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xff\x85.c'; do
    printf '%s /* %q */\n' "$source" "$file" >"$class/$file"
done
echo 'a note' >"$class/README.txt"
ln -s /etc/passwd "$class/passwd.c"
ln -s "$class/jane/train.c" "$class/linked/train.c"
python3 - "$class" "$source" <<'END'
import io, sys, tarfile, zipfile
folder, source = sys.argv[1:]
def pack(name, members):
    with zipfile.ZipFile(f"{folder}/{name}", "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in members:
            z.writestr(path, data)
def inner(members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        for path, data in members:
            z.writestr(path, data)
    return out.getvalue()
pack("carl.zip", [("work/train.c", source), ("work/report.pdf", "%PDF"),
                  ("__MACOSX/._train.c", "?")])
pack("climber.zip", [("../../../../climbed/train.c", source)])
pack("two.zip", [("main.c", source), ("old.c", source)])
pack("none.zip", [("notes.txt", "later")])
pack("bomb.zip", [("train.c", b"\0" * (200 << 20))])
with open(f"{folder}/damaged.zip", "wb") as f:
    f.write(open(f"{folder}/carl.zip", "rb").read()[:120])
with open(f"{folder}/empty.tar.gz", "wb") as f:
    pass
with tarfile.open(f"{folder}/links.tgz", "w:gz") as t:
    link = tarfile.TarInfo("train.c")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    t.addfile(link)
# As learning platforms export it, with names of any bytes, declared as UTF-8 or not.
class Raw(zipfile.ZipInfo):
    def _encodeFilenameFlags(self):
        return self.raw, self.flag_bits | 0x800 if self.declared else self.flag_bits & ~0x800
with zipfile.ZipFile(f"{folder}/../export.zip", "w") as z:
    def put(name, data=source, declared=True):
        info = Raw(str(len(z.filelist)))
        info.raw = name if isinstance(name, bytes) else name.encode()
        info.declared = declared
        z.writestr(info, data)
    for name in ("Jane Doe_1_assignsubmission_file_/solution.c",
                 "Jane Doe_2_assignsubmission_file_/TRAIN.C",
                 "doejohn_LATE_12_34_train-1.c", "doejohn_12_35_report.pdf",
                 "Task 1_jdoe_attempt_2024-03-01-12-30-45_a.c",
                 "Task 1_jdoe_attempt_2024-03-02-12-30-45_b.c",
                 "3-4 - Jo Roe - Mar 1, 2024 1230 PM/main.c",
                 "submission_5/main.c", "größe.c", "txt/train.c.txt", "deep/a/b/main.c",
                 "whole/labs/assessment/train.c", "whole/labs/lab1/a.c", "fork/train.c",
                 "fork/._train.c", "__MACOSX/fork/._train.c", "several/a.c", "several/b.c",
                 "__MACOSX/._alone.c", ".DS_Store", "paper.pdf", "index.html"):
        put("class/" + name, f"{source} // {name}")
    put("class/unflagged-\u00fc.c".encode(), declared=False)
    put("class/dos-\u00fc.c".encode("cp437"), declared=False)
    put("class/latin-\u00fc.c".encode("latin-1"))
    put("class/submission_metadata.yml",
        "---\nsubmission_5:\n  :submitters:\n  - :name: Ann Gray\n    :sid: '7'\n")
    put("class/packed.rar", "Rar!\x1a\x07\x01")
    put("class/packed.7z", b"7z\xbc\xaf\x27\x1c")
with tarfile.open(f"{folder}/../all.tar.gz", "w:gz") as t:
    for path, data in [("sub/ann/train.c", source.encode()), ("sub/ben.c", source.encode()),
                       ("sub/cleo.zip", inner([("cleo/train.c", source)])),
                       *((f"sub/many/{i}.c", b"") for i in range(20000)),
                       *((f"sub/large/{i}.c", bytes(1 << 20)) for i in range(90)),
                       ("sub/deep.zip", inner([("more.zip", inner([("train.c", source)]))]))]:
        info = tarfile.TarInfo(path)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
END
there() { find "$work" -path "$work/out" -prune -o -name log -prune -o -print | sort | sha256sum; }
before=$(there)

grade() { # submissions, options…: sets $status
    "$BUILD/assessment/grader/grade" --submission "$1" --trust --data cifar10 --data-dir "$work" \
        --images 500 --out "$work/out" --device cpu "${@:2}" >"$work/log" 2>&1
    status=$?
}
grade "$class"
cat "$work/log"
[ $status = 2 ] || wrong "exit $status, expected 2: some could not be graded"
[ "$(there)" = "$before" ] || wrong "files appeared or went outside of the results"
find / -maxdepth 1 -name climbed | grep -q . && wrong "an archive's path led out of it"

# name, as a spreadsheet reads it; status; words of the first fault
cat >"$work/expected" <<'END'
jane|no|the compiler says
x|no|the compiler says
x (2)|no|the compiler says
summary.csv|no|the compiler says
'=1+1|no|the compiler says
new\nline|no|the compiler says
<b>&"bold"|no|the compiler says
größe|no|the compiler says
none\xef\xbf\xbe\xef\xbf\xbf\xed\xa0\x80\xff\x85|no|the compiler says
'-rf|no|the compiler says
carl|no|the compiler says
climber|no|the compiler says
linked|error|is a link
passwd|error|is a link
nothing|error|no train.c in this folder
two|error|the archive has 2 C files
none|error|the archive has no file train.c
bomb|error|too large for a source file
damaged|error|the archive
empty|error|the archive
links|error|is a link or a device
END
python3 - "$work" <<'END' || failed=1
import csv, html.parser, json, os, sys
import xml.etree.ElementTree as tree
work, faults = sys.argv[1], 0
def wrong(text):
    global faults
    faults = 1
    print("wrong:", text)
rows = {row["name"]: row for row in csv.DictReader(open(f"{work}/out/summary.csv"))}
expected = [line.rstrip("\n").split("|") for line in open(f"{work}/expected")]
for name, status, words in expected:
    row = rows.get(name)
    if not row:
        wrong(f"no row of {name!r}")
    elif row["passed"] != status or words not in row["first_fault"] or None in row:
        wrong(f"{name!r}: expected {status}, {words!r}: {row}")
if len(rows) != len(expected):
    wrong(f"rows: {sorted(set(rows) - {name for name, _, _ in expected})}")
suites = tree.parse(f"{work}/out/junit.xml").getroot()
names = {name.lstrip("'") if name[0] == "'" else name for name in rows}
if {suite.get("name") for suite in suites} != names:
    wrong(f"junit.xml: {[suite.get('name') for suite in suites]}")
for suite in suites:
    found = [len(suite.findall(f"testcase/{kind}")) for kind in ("failure", "error")]
    if found != [int(suite.get("failures")), int(suite.get("errors"))] or sum(found) == 0:
        wrong(f"junit.xml: {suite.attrib}, but {found}")
class Page(html.parser.HTMLParser):
    seen, text, images = set(), "", []
    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        self.images += [value for key, value in attributes if key == "src"]
    def handle_data(self, data):
        self.text += data
page = Page()
page.feed(open(f"{work}/out/report.html").read())
if page.seen & {"script", "b"}:
    wrong(f"report.html: a name or a message became markup: {page.seen}")
for name in names:
    if name not in page.text:
        wrong(f"report.html has no {name!r}")
for image in page.images:
    if not os.path.exists(f"{work}/out/{image}"):
        wrong(f"report.html: no {image}")
for path, _, files in os.walk(f"{work}/out/submissions"):
    if "results.json" in files:
        json.load(open(f"{path}/results.json"))
sys.exit(faults)
END

cp "$work/out/summary.csv" "$work/first.csv"
stat -c '%n %Y %i' "$work"/out/submissions/*/results.json >"$work/first.files"
grade "$class"
[ "$(grep -c 'as graded before' "$work/log")" = "$(grep -c '|no|' "$work/expected")" ] ||
    { wrong "graded again, or not as before:"; cat "$work/log"; }
cmp "$work/first.csv" "$work/out/summary.csv" || wrong "the second summary differs"
echo '/* better */' >>"$class/jane/train.c"
grade "$class"
grep '^jane ' "$work/log" | grep -q 'as graded before' && wrong "a new version is not graded"
grep -q '^"jane",.*,2,"' "$work/out/summary.csv" || wrong "the second attempt is not counted"

# The machine's fault is no verdict: no points, no attempt, and it is graded again.
mkdir "$work/g" "$work/one"
cp "$BUILD/assessment/grader/grade" "$work/g/"
printf '#!/bin/sh\necho "gcc: fatal error: Killed signal terminated program cc1"; exit 1\n' \
    >"$work/g/compile"
chmod 755 "$work" "$work/g" "$work/g/compile"
cp "$class/jane/train.c" "$work/one/jane.c"
whole=$BUILD
for BUILD in "$work/broken" "$whole" "$whole"; do
    mkdir -p "$work/broken/assessment"
    ln -sfn "$work/g" "$work/broken/assessment/grader"
    grade "$work/one" --out "$work/out3"
    cat "$work/log"
    case $BUILD in
        "$work/broken")
            [ $status = 2 ] || wrong "the compiler was killed: exit $status"
            grep -q '^"jane",,,error,.*could not be graded: .*Killed.*grade it again' \
                "$work/out3/summary.csv" || wrong "the compiler was killed: its row" ;;
        *)
            [ $status = 1 ] || wrong "graded again: exit $status"
            grep -q '^"jane",.*,1,"' "$work/out3/summary.csv" || wrong "the attempt" ;;
    esac
    sed -i 's/"complete": true/"complete": false/' "$work/out3/submissions/jane/results.json"
done
mkdir "$work/small"
if [ "$(id -u)" = 0 ] && unshare --mount mount -t tmpfs none "$work/small" 2>/dev/null; then
    # shellcheck disable=SC2016 # the shell inside expands it
    unshare --mount bash -c 'mount -t tmpfs -o size=20m none "$1" &&
        exec "$2" --submission "$3" --trust --data cifar10 --data-dir "$4" --images 500 \
            --out "$1"' full \
        "$work/small" "$BUILD/assessment/grader/grade" "$work/one/jane.c" "$work" >"$work/log" 2>&1
    grep -q 'error: could not be graded: .*the disk has less' "$work/log" ||
        wrong "a full disk: $(cat "$work/log")"
fi

[ "$(stat -c %a "$work/out/secret")" = 600 ] || wrong "others may read the secret"

# Results that somebody changed: read with care, or made again.
python3 - "$work/out/submissions" <<'END'
import json, sys
folder = sys.argv[1]
path = f"{folder}/carl/results.json"
carl = json.load(open(path))
carl["tests"] = [1, "x", {}, None, [[]]]
carl["extra_data"] |= {"attempt": 1e300, "most": "many",
                       "first_fault": "&<\"\u0001\ufffe\uffff" + "x" * 5000}
json.dump(carl, open(path, "w"))
for name, text in (("x", "{"), ("jane", '{"score": "all", "tests": {}}'), ("summary.csv", "")):
    open(f"{folder}/{name}/results.json", "w").write(text)
END
grade "$class"
[ $status = 2 ] || wrong "results that were changed: exit $status"
for name in jane summary.csv; do
    grep "^$name " "$work/log" | grep -q 'compiler says: [^(]*$' || wrong "$name: not graded again"
done
python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' \
    "$work/out/junit.xml" || wrong "junit.xml after results that were changed"

grade "$work/all.tar.gz" --out "$work/out2"
for name in ann ben cleo; do
    grep -q "^\"$name\",0,100,no," "$work/out2/summary.csv" || wrong "all.tar.gz: $name"
done
[ "$(wc -l <"$work/out2/summary.csv")" = 7 ] || wrong "all.tar.gz: rows"
grep -q '^"many",,,error,.*20000 C files' "$work/out2/summary.csv" || wrong "all.tar.gz: many"
grep -q '^"large",,,error,.*90 C files' "$work/out2/summary.csv" || wrong "all.tar.gz: large"
grep -q '^"deep",,,error,.*no file train.c' "$work/out2/summary.csv" || wrong "all.tar.gz: deep"
LC_ALL=C grade "$work/export.zip" --out "$work/out3"
sed -nE '2,$s/^"([^"]*)",[^,]*,[^,]*,([^,]*),.*/\1|\2/p' "$work/out3/summary.csv" |
    LC_ALL=C sort >"$work/rows"
diff "$work/rows" - <<'END' || wrong "export.zip: names, or what was found"
Ann Gray|no
Jane Doe_1|no
Jane Doe_2|no
Jo Roe|no
alone|error
deep|no
doejohn|no
dos-\x81|no
fork|no
größe|no
jdoe|no
latin-\xfc|no
packed (2)|error
packed|error
paper|error
several|error
txt|no
unflagged-ü|no
whole|no
END
for name in jdoe:_b.c whole:assessment/train.c; do # which of several files
    grep -q "${name#*:}\$" "$work/out3/submissions/${name%%:*}/train.c" || wrong "$name"
done
grep -q 'several.*2 C files (a.c, b.c)' "$work/out3/summary.csv" || wrong "several: no names"

# Damage of any kind: a fault for people, or sources.
python3 -B - "$work/export.zip" "$class/links.tgz" "$class/carl.zip" <<'END' || failed=1
import random, sys
sys.path.insert(0, "assessment/grader")
import class_sources
for path in sys.argv[1:]:
    whole = open(path, "rb").read()
    for seed in range(150):
        draw = random.Random(seed)
        data = bytearray(whole[:draw.choice([len(whole), draw.randrange(1, len(whole))])])
        for _ in range(draw.randrange(20)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        try:
            for entry in class_sources.read_archive(bytes(data), False):
                assert not entry.path.startswith(("/", "../")), entry.path
        except class_sources.Fault:
            pass
END
exit $failed
