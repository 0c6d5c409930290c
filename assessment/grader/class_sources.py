"""class_sources.py PATH OUT: the submissions of a class: whose each is, and which of a student's
files is graded.

PATH is a folder or an archive (zip, tar, tar.gz, tar.xz, tar.bz2). Below the folders that all
submissions are in, each file, folder or archive on the top level is a submission; learning
platforms put the student's name into its name. Writes the source of each to
OUT/submissions/FOLDER/train.c and the list to OUT/submissions.json:

    {"fault": null, "sources": [{"name": for people, "folder": FOLDER, "fault": null}]}

fault: why there is no list, no source. What cannot be graded is listed, not skipped. Paths inside
an archive name files for people and are never written to; links are not followed."""
import calendar
import io
import json
import os
import re
import resource
import signal
import stat
import struct
import sys
import tarfile
import time
import zipfile

# Bytes: of a source, of an archive within an archive, of a whole class.
MOST_SOURCE, MOST_INNER, MOST_CLASS = 1 << 20, 64 << 20, 1 << 30
MOST_FILES, MOST_BYTES = 20000, 64 << 20  # of one student
MOST_MEMBERS, MOST_STUDENTS, MOST_DEPTH, MOST_NAME = 400000, 20000, 40, 96
MOST_SECONDS = 120  # for an archive
MOST_MEMORY = 4 << 30
METADATA = "submission_metadata.yml"  # Gradescope's: whose the submissions are

LINK = "is a link or a device, not a file"
TOO_LARGE = "is too large for a source file"
DAMAGED = "is damaged, or locked by a password"
TOO_MUCH = ("is one file too many: 20,000 of a student, or 64 MiB of sources and archives, "
            "are read")
BROKEN = ("the archive is damaged, or not of the kinds that are read: zip, tar, tar.gz, tar.xz, "
          "tar.bz2")
TOO_SLOW = "the archive cannot be read (too slow)"
ARCHIVE = re.compile(r".(\.(zip|tar|tgz|txz|tbz2|tzst|7z|rar|tar\.(gz|xz|bz2|zst)))$", re.I | re.S)
SOURCE = re.compile(r".(\.c(\.txt)?)$", re.I | re.S)


class Fault(Exception):
    """Why something cannot be graded, for people."""


class TooSlow(BaseException):
    """Not an Exception: what a reader does about damage does not catch it."""


class Entry:
    """A file, or a folder: its path ends in "/"."""

    def __init__(self, path, read=None, fault=None):
        self.path, self.hidden = clean_path(path)
        self.name = self.path.rsplit("/", 1)[-1]  # "": a folder
        self.read = read  # read(most bytes) -> at most one byte more; None: not kept
        self.fault = fault
        self.time = 0.0  # of the attempt that it belongs to, where there are several


def clean_path(path):
    """The path without what leads out of a folder and what systems add, and whether it is hidden:
    "__MACOSX/jane/._train.c" is "jane/train.c", hidden; "jane/.git/config" is "jane/"."""
    hidden, kept = False, ""
    parts = path.split("/" if "/" in path else "\\")  # some archives of Windows have "\"
    for i, part in enumerate(parts):
        if part.startswith("._") and len(part) > 2:  # a resource fork of macOS
            part, hidden = part[2:], True
        if part.upper() == "__MACOSX":
            hidden = True
        elif part in ("", ".", ".."):
            pass
        elif part[0] == "." or part.lower() in ("thumbs.db", "desktop.ini"):
            break  # what is left is the folder
        else:
            kept += part + "/" * (i + 1 < len(parts))
    return kept, hidden


def is_train(name):
    return name.lower() in ("train.c", "train.c.txt")


# ---- archives ----

def declared_as_bytes(data):
    """A ZIP archive whose names are not declared as UTF-8 (bit 11 of the flags; APPNOTE.TXT
    4.4.4), because some are and are not: zipfile then takes each byte as a character."""
    data = bytearray(data)
    end = data.rfind(b"PK\5\6", max(0, len(data) - 65557))
    size, offset = struct.unpack_from("<2L", data, end + 12) if end >= 0 else (0, 0)
    at = end - size
    start = at - offset  # of the archive: something may stand before it
    while 0 <= at < end - 45 and data[at:at + 4] == b"PK\1\2":
        own = start + struct.unpack_from("<L", data, at + 42)[0]
        for flags in (at + 9, own + 7):
            if 0 <= flags < end:
                data[flags] &= ~8
        at += 46 + sum(struct.unpack_from("<3H", data, at + 28))
    return data


def zip_name(text):
    try:
        return text.encode("cp437").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # from a field with the name in Unicode
        return text


def zip_members(data):
    archive = zipfile.ZipFile(io.BytesIO(declared_as_bytes(data)))
    for info in archive.infolist():
        link = stat.S_ISLNK(info.external_attr >> 16)
        yield (zip_name(info.filename), "folder" if info.is_dir() else "link" if link else "",
               lambda most, info=info: archive.open(info).read(most + 1))


def tar_members(data):
    archive = tarfile.open(fileobj=io.BytesIO(data), encoding="utf-8", errors="surrogateescape")
    for info in archive:
        yield (info.name, "folder" if info.isdir() else "" if info.isreg() else "link",
               lambda most, info=info: archive.extractfile(info).read(most + 1))
    archive.fileobj.seek(archive.offset)
    if archive.fileobj.read(512).strip(b"\0"):  # neither a header nor the end
        raise tarfile.ReadError("damaged")


def is_tar(data):
    try:
        tarfile.open(fileobj=io.BytesIO(data)).close()
        return True
    except Exception:  # of any kind, if the bytes mean harm
        return False


def read_members(data, inner):
    """Only sources, archives and metadata are kept; of the others the path is."""
    members = []
    for member in tar_members(data) if is_tar(data) else zip_members(data):
        members.append(member)
        if len(members) > MOST_MEMBERS:
            raise Fault(f"the archive has more than {MOST_MEMBERS} files")
    common = os.path.commonprefix([path for path, *_ in members]).rfind("/") + 1
    # Below it are the students: one who hands in too much leaves the others theirs.
    entries, files, sizes, total = [], {}, {}, 0
    for path, kind, read in members:
        student = path[common:].split("/")[0]
        files[student] = files.get(student, 0) + 1
        if len(files) > MOST_STUDENTS:
            raise Fault(f"the archive has more than {MOST_STUDENTS} submissions")
        archived = ARCHIVE.search(path) and not inner
        if kind or files[student] > MOST_FILES:
            if files[student] <= MOST_FILES + 1:
                fault = None if kind == "folder" else LINK if kind else TOO_MUCH
                entries.append(Entry(path + "/" * (kind == "folder"), None, fault))
        elif not (archived or SOURCE.search(path) or path.endswith(METADATA)):
            entries.append(Entry(path))
        elif sizes.get(student, 0) > MOST_BYTES:
            entries.append(Entry(path, None, TOO_MUCH))
        else:
            most = MOST_INNER if archived else MOST_SOURCE
            try:
                held = read(most)
                fault = TOO_LARGE if len(held) > most else None
            except Exception:  # bytes from outside: of any kind
                held, fault = b"", DAMAGED
            sizes[student] = sizes.get(student, 0) + len(held)
            total += len(held)
            if total > MOST_CLASS:
                raise Fault("the archive holds more than 1 GiB of sources")
            entries.append(Entry(path, lambda most, held=held: held, fault))
    return entries


def read_archive(data, inner):
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        return [e for e in read_members(data, inner) if e.path]
    except Fault:
        raise
    except TooSlow:
        raise Fault(TOO_SLOW) from None
    except Exception:  # zipfile and tarfile raise what their parts do: zlib's, struct's, memory
        raise Fault(BROKEN) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


# ---- folders ----

def read_file(path, most):
    """At most one byte more than `most`."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as f:
            return f.read(most + 1)
    except OSError as e:
        raise Fault(f"{path}: {e.strerror}") from None


def read_folder(folder, within="", depth=0, left=None):
    """within: its path in the class, "" or ending in "/". An archive that was unpacked here may
    have brought its links: none is followed."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as e:
        if depth:
            return []  # it is listed
        raise Fault(f"{folder}: {e.strerror}") from None
    entries = []
    for name in names:
        path = os.path.join(folder, name)
        info = os.lstat(path)
        left = left if depth else [MOST_FILES]  # of one student
        left[0] -= 1
        if left[0] < 0 or len(entries) > MOST_MEMBERS:
            break
        is_folder = stat.S_ISDIR(info.st_mode)
        regular = stat.S_ISREG(info.st_mode) and info.st_nlink == 1
        entry = Entry(within + name + "/" * is_folder,
                      (lambda most, path=path: read_file(path, most)) if regular else None,
                      None if is_folder or regular else LINK)
        if entry.path:
            entries.append(entry)
        if is_folder and name[0] != "." and depth < MOST_DEPTH:
            entries += read_folder(path, within + name + "/", depth + 1, left)
    return entries


def read_class(path):
    if os.path.isdir(path):
        entries = read_folder(path)
    else:
        data = read_file(path, MOST_CLASS)
        if len(data) > MOST_CLASS:
            raise Fault(f"{path}: larger than 1 GiB")
        try:
            entries = read_archive(data, False)
        except Fault as fault:
            raise Fault(f"{path}: {fault}") from None
    return sorted(entries, key=lambda e: os.fsencode(e.path))


# ---- whose it is ----

# How platforms name what they export: the groups name, more (with it the name is one student's)
# and time.
PLATFORMS = [
    # Moodle: "Jane Doe_123_assignsubmission_file_/solution.c"
    (r"^(?P<name>.+)(?P<more>_[0-9]+)_assignsubmission_", None),
    # Blackboard: "Assignment 1_jdoe_attempt_2024-03-01-12-30-45_main.c"
    (r"_(?P<name>[^_]+)(?P<more>)_attempt_(?P<time>[0-9-]{19})", "%Y-%m-%d-%H-%M-%S"),
    # Brightspace: "123-456 - Jane Doe - Mar 1, 2024 1230 PM/main.c"
    (r"^(?P<more>[0-9]+-[0-9]+) - (?P<name>.+) - (?P<time>[A-Z][a-z]+ [0-9]+, [0-9]{4} [0-9]+ "
     r"[AP]M)", "%b %d, %Y %I%M %p"),
    # Canvas: "doejane_LATE_1234_5678_train-1.c"
    (r"^(?P<name>[^_]+)(_LATE)?(?P<more>_[0-9]+)_[0-9]+_.*\.[^.]*$", None),
]


class Owner:
    """Whose a file or folder on the top level is, by its name."""

    def __init__(self, name, key=None, at=0.0):
        self.name = name
        self.key = key  # the same for all that is the same student's; None: nothing else is
        self.time = at  # of several attempts the last one counts


def owner_of_platform(name):
    for pattern, form in PLATFORMS:
        found = re.search(pattern, name, re.S)
        if found:
            at = 0.0
            if form:
                try:
                    at = float(calendar.timegm(time.strptime(found["time"], form)))
                except ValueError:
                    pass
            return Owner(found["name"], found["name"] + found["more"], at)
    return None


def owner_of(name, folder):
    owner = owner_of_platform(name)
    if owner:
        return owner
    ending = SOURCE.search(name) or (None if folder else ARCHIVE.search(name))
    if ending:
        short = name[:ending.start(1)]
    else:
        short = name if folder or "." not in name[1:] else name[:name.rindex(".")]
    return Owner(short, name if folder else None)


def name_in_metadata(entries, base, folder):
    """Gradescope calls folders submission_123; whose they are is in a file beside them:

        submission_123:
          :submitters:
          - :name: Jane Doe
    """
    if not folder.startswith("submission_"):
        return None
    meant = [e for e in entries if e.path == base + METADATA and e.read and not e.fault]
    names, inside = [], False
    text = meant[0].read(MOST_SOURCE) if meant else b""
    for line in text.decode("utf-8", "surrogateescape").splitlines():
        if line and line[0] not in " -":
            inside = line.startswith(folder + ":")
        name = re.search(r":name: (['\"]?)(.*)", line) if inside else None
        if name:
            names.append(name[2].split(name[1])[0] if name[1] else name[2])
    return ", ".join(names) or None


# ---- which file is meant ----

class Group:
    """One student's entries."""

    def __init__(self, owner, what):
        self.owner, self.what, self.entries = owner, what, []

    def candidates(self):
        return [e for e in self.entries if not e.hidden and SOURCE.search(e.name)]


def rank_of(entry, top):
    """The lower, the clearer it is that this file is meant: a train.c on top, one in assessment/,
    one deeper; any other. top: how deep the group's own files are."""
    depth = entry.path.count("/") - top
    if not is_train(entry.name):
        return 3000
    if depth <= 0:
        return 0
    there = entry.path.lower().rsplit("/", 1)[0].split("/")[-1] == "assessment"
    return (1000 if there else 2000) + depth


def pick(candidates, top):
    """The one that is meant; None: none, or it is not clear."""
    latest = max((e.time for e in candidates), default=0)
    ranked = sorted(((rank_of(e, top), e) for e in candidates if e.time >= latest),
                    key=lambda pair: pair[0])
    if len(ranked) == 1 or (ranked and ranked[0][0] < min(3000, ranked[1][0])):
        return ranked[0][1]
    return None


def list_of(entries):
    """ " (main.c, old.c, …)" """
    names = [e.name[:60] for e in entries if e.name and not e.hidden]
    return f" ({', '.join(names[:3] + ['…'] * (len(names) > 3))})" if names else ""


def not_one(group, candidates):
    first = group.entries[0] if group.entries else None
    if candidates:
        return (f"{group.what or 'it'} has {len(candidates)} C files{list_of(candidates)}: "
                "hand in one, train.c")
    if group.what == "the archive":
        return f"the archive has no file train.c or NAME.c{list_of(group.entries)}"
    if group.what:
        return f"no train.c in this folder, nor another C file{list_of(group.entries)}"
    if first.fault:
        return f"{first.path}: {first.fault}"
    found = " (only hidden files)" if first.hidden else list_of(group.entries)
    return f"no C file, folder or archive{found}"


def source_of(group, top):
    candidates = group.candidates()
    meant = pick(candidates, top)
    if meant:
        if meant.fault:
            raise Fault(f"{meant.path}: {meant.fault}")
        source = meant.read(MOST_SOURCE)
        if len(source) > MOST_SOURCE:
            raise Fault(f"{meant.path}: {TOO_LARGE}")
        return source
    inside, fault, archives = [], None, 0
    for e in [] if candidates else group.entries:  # only without a C file archives are looked into
        if e.hidden or not ARCHIVE.search(e.name) or not (e.read or e.fault):
            continue
        archives += 1
        try:
            if e.fault:
                raise Fault(f"the archive {e.fault}")
            data = e.read(MOST_INNER)
            if len(data) > MOST_INNER:
                raise Fault("the archive is larger than 64 MiB")
            inside += read_archive(data, True)
        except Fault as f:
            fault = fault or f
    if fault and not inside:
        raise fault
    if archives:
        unpacked = Group(group.owner, "the archive")
        unpacked.entries = inside
        return source_of(unpacked, 0)
    raise Fault(not_one(group, candidates))


# ---- the class ----

def is_about_class(name):
    return name.lower() in ("readme", "readme.txt", "readme.md", "readme.html", "index.html",
                            METADATA, "grades.csv", "grades.xls", "manifest.xml")


def is_work(entries, folder):
    """Is this folder one student's?"""
    own = others = False
    for e in entries:
        if e.hidden or not e.path.startswith(folder):
            continue
        rest = e.path[len(folder):].lower()
        own = own or is_train(rest) or rest == "assessment/train.c"
        others += is_train(rest.partition("/")[2]) and not rest.startswith("assessment/")
    return own and others < 2


def is_project(entries):
    """Is all of it a copy of the project, of one student?"""
    return (any(e.path.lower() == "assessment/train.c" for e in entries)
            and any(e.path.startswith("common/") for e in entries))


def shared_folder(entries):
    """The folder that all submissions are in, "class/"; "": the top level."""
    base = ""
    while True:
        tops, others = [], 0
        for e in entries:
            rest = e.path[len(base):]
            if e.hidden or not rest or not e.path.startswith(base):
                continue
            part = rest[:rest.find("/") + 1] or rest
            if part == rest and not (part.endswith("/") or SOURCE.search(rest)
                                     or ARCHIVE.search(rest)):
                others += not is_about_class(rest)
            elif part not in tops[-1:] or part[-1] != "/":
                tops.append(part)
                if len(tops) > 1:
                    return base
        top = tops[0] if tops else ""
        whose = owner_of_platform(top.rstrip("/")) or top.startswith("submission_")
        if others or whose or not top.endswith("/") or is_work(entries, base + top):
            return base if whose else ""
        base += top


def make_groups(entries, base):
    """Those of each student, in order; last, the students of whom there are hidden files only."""
    groups, by_key, names = [], {}, set()
    for hidden in (False, True):
        before = group = None
        for e in entries:
            rest = e.path[len(base):]
            if e.hidden != hidden or not rest or not e.path.startswith(base):
                continue
            name, slash, _ = rest.partition("/")
            if not slash and is_about_class(name):
                print(f"note: {printable(e.path)}: skipped: not a submission", file=sys.stderr)
                continue
            if not slash or before != name:
                owner = owner_of(name, bool(slash))
                before = name if slash else None
                group = by_key.get(owner.key)
                if hidden and owner.name in names:
                    group = None
                elif not group:
                    what = ("this folder" if slash else
                            "the archive" if ARCHIVE.search(name) else None)
                    group = Group(owner, what)
                    groups.append(group)
                    if owner.key is not None:
                        by_key[owner.key] = group
                if not hidden:
                    names.add(owner.name)
                at = owner.time
            if group:
                e.time = at
                group.entries.append(e)
    return groups


def name_groups(groups, entries, base):
    """Two students of one name are told apart by what their platform adds; Gradescope's metadata
    name those of submission_123."""
    keys = {}
    for g in groups:
        if g.owner.key is not None:
            keys.setdefault(g.owner.name, set()).add(g.owner.key)
    for g in groups:
        twice = len(keys.get(g.owner.name, ())) > 1 and g.owner.key
        g.owner.name = name_in_metadata(entries, base, g.owner.name) or twice or g.owner.name


# What a terminal obeys or XML has no place for: as printable.h.
UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
                    "\ufdd0-\ufdef" + "".join(f"{chr(p << 16 | 0xfffe)}{chr(p << 16 | 0xffff)}"
                                             for p in range(17)) + "]")


def printable(text):
    def escape(found):
        character = found.group()
        return {"\n": "\\n", "\t": "\\t"}.get(character) or "".join(
            f"\\x{byte:02x}" for byte in os.fsencode(character))
    return UNSAFE.sub(escape, text)


def unused(text, taken, form, key=str):
    """The text, or with a number where its key is taken."""
    own, k = text, 2
    while key(own) in taken:
        own, k = form.format(text, k), k + 1
    taken.add(key(own))
    return own


def name_of_class(path):
    name = os.path.basename(os.path.abspath(path))
    ending = ARCHIVE.search(name)
    return name[:ending.start(1)] if ending else name


def groups_of(path):
    entries = read_class(path)
    base = shared_folder(entries)
    if is_project(entries):
        groups = [Group(Owner(name_of_class(path)), "this folder")]
        groups[0].entries = entries
    else:
        groups = make_groups(entries, base)
        name_groups(groups, entries, base)
    if len(groups) == 1 and groups[0].owner.name.lower() == "train":
        groups[0].owner.name = name_of_class(path)
    if not groups:
        raise Fault(f"{path}: no submission in it: expected files NAME.c, folders NAME with a "
                    "train.c, or archives")
    return groups, base


def write_whole(path, data):
    with open(path + ".part", "wb") as f:
        f.write(data)
    os.replace(path + ".part", path)


def write_sources(path, out):
    groups, base = groups_of(path)
    sources, names, folders = [], set(), set()
    for g in groups:
        shown = printable(g.owner.name) or "_"
        shown = shown if len(shown) <= MOST_NAME else shown[:MOST_NAME - 3] + "..."
        safe = re.sub("^[.-]", "_", re.sub("[^A-Za-z0-9._-]", "_", shown))
        source = {"name": unused(shown, names, "{} ({})"), "fault": None,
                  "folder": unused(safe, folders, "{}-{}", str.lower)}
        sources.append(source)
        try:
            data = source_of(g, base.count("/") + (g.what == "this folder"))
            folder = os.path.join(out, "submissions", source["folder"])
            os.makedirs(folder, exist_ok=True)
            write_whole(os.path.join(folder, "train.c"), data)
        except Fault as fault:
            source["fault"] = printable(str(fault))
    return sources


def too_slow(*_):
    raise TooSlow


def main(path, out):
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGALRM, too_slow)
    found = {"fault": None, "sources": []}
    try:
        found["sources"] = write_sources(path, out)
    except Fault as fault:
        found["fault"] = printable(str(fault))
    write_whole(os.path.join(out, "submissions.json"), json.dumps(found, indent=1).encode())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except OSError as e:
        sys.exit(f"error: {e}")
