#!/usr/bin/env python3
"""The known mistakes of a lab's exercises.

    mistakes.py check LAB [EXERCISE]...     does the check name each? (EVERY=6: every sixth)
    mistakes.py record LAB [EXERCISE]...    write LAB/check/mistakes.txt: what each computes

LAB/solution/mistakes.txt has a section per exercise, [1a_gradient], and in it:

    the sentence that a student reads
    <tab>an edit of the reference: a sed -E expression on the whole file; LINES: sed's arguments,
    <tab>for each line; BODY: C in place of the exercise's body. A sentence can have several edits.
    <tab>GIVEN and any of these: of the text that students get, not of the reference.
    <tab><tab>goes on with the line before

In place of a sentence, "~ words": the check's own code finds it, in words that match this pattern
(of the trainer, 3_train: "~ step 6: words"); "+ words": another right way, which must pass. Each
edit is compiled into a library that the exercise's trial program is linked with. Needs a finished
build of all programs in $BUILD.
"""
import concurrent.futures
import functools
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.environ.get("BUILD", "build")
JOBS = int(os.environ.get("JOBS", "2"))


def stop(words):
    sys.exit(f"mistakes.py: {words}")


def read_list(path):
    """{exercise: [(sentence, edit)]}"""
    sections, section, sentence = {}, None, None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        line = line.rstrip("\n")
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), [])
        elif line.startswith("\t\t"):
            section[-1] = (sentence, section[-1][1] + " " + line.strip())
        elif line.startswith("\t"):
            section.append((sentence, line.strip()))
        elif section is None:
            stop(f"{path}:{number}: no [exercise] before this line")
        else:
            sentence = line
    return sections


def function_of(name):
    return name.split("_", 1)[1]


def apply(text, edit, name):
    """The changed source; None: the edit changes nothing."""
    kind, _, rest = edit.partition(" ")
    if kind == "GIVEN":
        return apply(open(f"lab2_ddp/{name}.c", encoding="utf-8").read(), rest, name)
    if kind == "BODY":
        head = re.search(r"\b%s\([^;{]*\)\n\{" % function_of(name), text)
        end = text.index("\n}\n", head.end()) + 3
        start = ""
        if "MPI_Comm comm" in head.group(0):
            start = ("int rank, P; MPI_Comm_rank(comm, &rank); MPI_Comm_size(comm, &P); "
                     "float *a = alloc((unsigned long)count + 1, 4); ")
        changed = text[:head.end()] + " " + start + rest + " }\n" + text[end:]
    else:
        how = ["sed", "-zE", edit] if kind != "LINES" else (
            ["sed", "-E", rest[3:]] if rest.startswith("-E ") else ["sed", rest])
        run = subprocess.run(how, input=text, capture_output=True, text=True, check=False)
        if run.returncode:
            stop(f"{name}: {run.stderr}")
        changed = run.stdout
    return None if changed == text else changed


@functools.cache
def commands(lab):
    """What make would run if all of the lab's references had changed."""
    cuda = [] if os.path.exists(f"{BUILD}/gpu_calls") else ["HAVE_CUDA="]
    what = []
    for name in read_list(f"{lab}/solution/mistakes.txt"):
        kind = Trainer if name == "3_train" else Exercise
        what += ["-W", f"{kind.SOURCES}{lab}/solution/{name}.c",
                 f"{BUILD}/sol/{lab}/{kind.TRIED}{name}"]
    clean = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "LABS_BUILD")}
    return subprocess.run(["make", "-n", "V=1", f"BUILD={BUILD}", *cuda, *what], env=clean,
                          capture_output=True, text=True, check=False).stdout.splitlines()


class Exercise:
    """Its check, linked so that the exercise is a library beside it."""
    TRIED, SOURCES = "trial/", ""

    def __init__(self, lab, name, work):
        self.lab, self.name, self.folder = lab, name, f"{work}/{name}"
        source = f"{self.SOURCES}{lab}/solution/{name}.c"
        self.text = open(source, encoding="utf-8").read()
        trial, check = f"{BUILD}/sol/{lab}/{self.TRIED}{name}", f"{BUILD}/sol/{lab}/check/{name}"
        lines = commands(lab)
        compiling = [line for line in lines if f"-c {source} " in line]
        linking = [line for line in lines if f"-o {trial}.part" in line]
        if not compiling or not linking or not os.path.exists(check):
            stop(f"no build of {trial} in {BUILD}: run make")
        for kind in ("trial", "check", "right"):
            os.makedirs(f"{self.folder}/{kind}")
        shutil.copy(check, f"{self.folder}/check/")
        self.compile = re.sub(r" -(MMD|MP)\b| -M[FT] \S+| -o \S+.*| -c \S+", "",
                              compiling[-1]) + " -w -Wno-error -fno-lto -O1 -g1"
        self.link = linking[-1].split(" -o ")[0]
        error = self.library(f"{self.folder}/right", self.text) or self.link_trial()
        if error:
            stop(f"{source}: {error}")

    def link_trial(self):
        link = self.link.replace(f" {BUILD}/sol/{self.lab}/parts.a",  # the others: stubs
                                 f" {self.folder}/right/libexercise.so"
                                 f" {BUILD}/student/{self.lab}/parts.a", 1)
        return self.sh(f"{link} -rdynamic -o {self.folder}/trial/{self.name}")

    @staticmethod
    def sh(command):
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode else None

    def library(self, folder, text):
        """Compile it; what the compiler says if that fails."""
        os.makedirs(folder, exist_ok=True)
        with open(f"{folder}/{self.name}.c", "w", encoding="utf-8") as file:
            file.write(text)
        return self.sh(f"{self.compile} -fPIC -shared"
                       f" -Wl,-soname,libexercise.so {folder}/{self.name}.c"
                       f" -o {folder}/libexercise.so -lm")

    def run(self, folder, words, seconds=240, **more):
        env = dict(os.environ, LD_LIBRARY_PATH=folder, TMPDIR=folder, **more)
        return subprocess.run(["timeout", "--kill-after=5", str(seconds), *words], env=env,
                              capture_output=True, text=True, errors="replace", check=False)

    def verdict(self, folder, _=None):
        """What the check finds wrong; None: nothing."""
        out = self.run(folder, [f"{self.folder}/check/{self.name}"]).stdout
        line = next((line for line in out.splitlines() if line.startswith("FAIL")), None)
        if line is None:
            return None if out.startswith("PASS") else f"no verdict: {out[:300]}"
        return line.split("; found: ", 1)[-1]

    def values(self, folder):
        """[(value, absolute, relative)], as text if the check's code or a crash ends it; "?" where
        it depends on memory that nobody has set, or on how the processor rounds: what grows without
        end."""
        runs = []
        for more in ({}, {"MALLOC_PERTURB_": "85", "OPENBLAS_CORETYPE": "Prescott"}):
            path = f"{folder}/values"
            open(path, "w", encoding="utf-8").close()
            done = self.run(folder, [f"{self.folder}/trial/{self.name}", "--record", path], 10,
                            **more)
            text = open(path, encoding="utf-8").read()
            if done.returncode:
                return text or f"status {done.returncode}"
            runs.append([[float(word) for word in line.split()] for line in text.splitlines()])
        return [row if same(row[0], other[0], *row[1:]) else [None] + row[1:]
                for row, other in zip(*runs)]


class Trainer(Exercise):
    """Part 3: a program; its check looks for it in the folder above its own, and for the text in
    lab2_ddp/."""
    TRIED, SOURCES = "", f"{BUILD}/"

    def link_trial(self):
        return None

    def library(self, folder, text):
        os.makedirs(f"{folder}/{self.lab}")
        os.makedirs(f"{folder}/check")
        shutil.copy(f"{self.folder}/check/{self.name}", f"{folder}/check/")
        for name in ("common", "data"):
            os.symlink(os.path.abspath(name), f"{folder}/{name}")
        source, program = f"{folder}/{self.lab}/{self.name}.c", f"{folder}/{self.name}"
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        link = self.link.replace(f" {BUILD}/{self.lab}/solution/{self.name}.o", f" {program}.o")
        return self.sh(f"{self.compile} -c {source} -o {program}.o && {link} -o {program}")

    def verdict(self, folder, step="step 7"):
        """"step 6: the sum …" of the first step that is wrong, and must be the only one."""
        steps = [str(k) for k in range(1, 8 if step <= "step 7" else 10)]
        out = subprocess.run([f"{folder}/check/{self.name}", *steps], cwd=folder,
                             env=dict(os.environ, TMPDIR=folder), capture_output=True, text=True,
                             errors="replace", check=False).stdout
        wrong = re.findall(r"^FAIL  (step \d).*; found: (.*)", out, re.M)
        if len(wrong) != 1:
            return None if not wrong else f"several steps: {wrong}"
        place = rf"see {self.lab}/{self.name}.c:\d+ \({wrong[0][0].upper()}"
        if not re.search(place, wrong[0][1]):
            return f"no line to look at: {wrong[0]}"
        return ": ".join(wrong[0])


def exercise_new(lab, name, work):
    return (Trainer if name == "3_train" else Exercise)(lab, name, work)


def same(a, b, absolute, relative):
    return (a == b or (a != a and b != b) or
            (math.isfinite(b) and abs(a - b) <= absolute + relative * abs(b)))


def row_of(values, right):
    """As common/judge/exercise_values.c reads it."""
    words = []
    for (value, absolute, relative), (expected, _, _) in zip(values, right):
        word = ("?" if value is None else
                "=" if same(value, expected, absolute, relative) else f"{value:.7g}")
        if words and word in "=?" and words[-1][0] == word:
            word += str(int(words[-1][1:] or 1) + 1)
            words.pop()
        words.append(word)
    return " ".join(words)


def record(lab, name, edits, work):
    """The section of check/mistakes.txt."""
    if all(sentence[0] in "~+" for sentence, _ in edits):
        return ""
    it = exercise_new(lab, name, work)
    right = it.values(f"{it.folder}/right")
    if isinstance(right, str):
        stop(f"{name}: the reference fails: {right}")
    if not right:
        return ""
    rows, faults = {}, []

    def one(number):
        sentence, edit = edits[number]
        changed = apply(it.text, edit, name)
        folder = f"{it.folder}/{number}"
        if changed is None:
            return f"changes nothing: {edit}"
        error = it.library(folder, changed)
        if error:
            return f"does not compile: {edit}: {error}"
        values = it.values(folder)
        if isinstance(values, str):
            return f"not a matter of values, write '~ …': {sentence}: {values}"
        if len(values) != len(right):
            return f"{len(values)} values, expected {len(right)}: {sentence}"
        return [row_of(values, right)]

    numbers = [i for i, (sentence, _) in enumerate(edits) if sentence[0] not in "~+"]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for number, row in zip(numbers, pool.map(one, numbers)):
            sentence = edits[number][0]
            if isinstance(row, str):
                faults.append(row)
            elif row[0] == f"={len(right)}" or row[0] == "=":
                faults.append(f"no value is wrong: {sentence}: {edits[number][1]}")
            elif rows.setdefault(row[0], sentence) != sentence:
                faults.append(f"the same values: '{rows[row[0]]}' and '{sentence}'")
    for fault in faults:
        print(f"{name}: {fault}")
    if faults:
        return None
    said = ""
    lines = [f"[{name}]", "\t" + " ".join(f"{value:.12g}" for value, _, _ in right)]
    for row, sentence in rows.items():
        lines += ([] if said == sentence else [sentence]) + ["\t" + row]
        said = sentence
    return "\n".join(lines) + "\n\n"


HEAD = ("# What each exercise computes in the cases of its check, and under each known mistake's\n"
        "# sentence what it computes with that mistake: = as it should be, =3 three times; ? any.\n"
        "\n")


def tables(lab):
    """{exercise: its section of check/mistakes.txt}"""
    path = f"{lab}/check/mistakes.txt"
    text = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
    return {m.group(1): m.group(0)
            for m in re.finditer(r"^\[(\w+)\]\n(?:(?!\[).*\n)*", text, re.M)}


def number_of(name):
    number, letter = re.match(r"(\d+)(\w?)", name).groups()
    return int(number), letter


def record_all(lab, wanted, work):
    known, sections, fine = tables(lab), read_list(f"{lab}/solution/mistakes.txt"), True
    for name in wanted or sections:
        section = record(lab, name, sections.get(name, []), work)
        fine = fine and section is not None
        if section:
            known[name] = section
        elif section == "":
            known.pop(name, None)
    with open(f"{lab}/check/mistakes.txt", "w", encoding="utf-8") as file:
        file.write((HEAD + "".join(known[name] for name in sorted(known, key=number_of)))
                   .rstrip("\n") + "\n")
    return fine


def check_all(lab, wanted, work):
    sections = read_list(f"{lab}/solution/mistakes.txt")
    tasks, failed = [], 0
    for name in wanted or sections:
        it = exercise_new(lab, name, work)
        found = it.verdict(f"{it.folder}/right")
        if found is not None:
            print(f"FAIL  {name}: the reference, alone among stubs, does not pass: {found}")
            failed += 1
        edits = sections[name][::int(os.environ.get("EVERY", "1"))]
        tasks += [(it, i, *pair) for i, pair in enumerate(edits)]

    def one(task):
        it, number, sentence, edit = task
        changed, folder = apply(it.text, edit, it.name), f"{it.folder}/{number}"
        if changed is None:
            return f"FAIL  {it.name}: changes nothing: {edit}"
        error = it.library(folder, changed)
        if error:
            return f"FAIL  {it.name}: does not compile: {edit}\n{error}"
        found = it.verdict(folder, sentence[2:8])
        shutil.rmtree(folder)
        if sentence.startswith("+ "):
            return f"{'FAIL ' if found else 'ok   '} {it.name}: {sentence}: {found or 'passes'}"
        fits = found and (re.search(sentence[2:], found) if sentence.startswith("~ ") else
                          sentence in found)
        return f"{'ok   ' if fits else 'FAIL '} {it.name}: {edit[:60]}: " + (
            found if fits else f"expected '{sentence}': {found}")

    named = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for line in pool.map(one, tasks):
            print(line[:600], flush=True)
            named += line.startswith("ok")
    print(f"{named} of {len(tasks)} mistakes are named")
    return named == len(tasks) and not failed


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "record"):
        stop("usage: mistakes.py check|record LAB [EXERCISE]...")
    lab = sys.argv[2].rstrip("/")
    known = read_list(f"{lab}/solution/mistakes.txt")
    wanted = [name for name in sys.argv[3:] if name in known]
    if len(sys.argv) > 3 and not wanted:
        return  # another lab's
    with tempfile.TemporaryDirectory() as work:
        what = check_all if sys.argv[1] == "check" else record_all
        sys.exit(0 if what(lab, wanted, work) else 1)


if __name__ == "__main__":
    main()
