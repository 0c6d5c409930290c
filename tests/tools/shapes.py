#!/usr/bin/env python3
"""shapes.py TREE [--solutions DIR]: does anything in TREE, the students' files, solve an exercise?

A copy under other names is still a copy. So shapes are compared, not lines, as in MOSS (Schleimer,
Wilkerson, Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003; a project
as small as this one needs no winnowing: all shapes are kept).

  words    Code becomes words, without what a copier changes freely: comments, strings, types,
           casts, braces, brackets that only group, unary * and &, a second name for a value
           (r = comm->rank). a->b.c is one word; 1.0f is 1.
  shape    of WINDOW words in a row: each name is replaced by how far back among them it was last.
           What a copier must keep stays: keywords, constants, calls of the C library, of MPI and of
           the functions in common/*.h.
  answer   The statements and shapes that one function of a solution has and its stub has not.
           Shapes in more than COMMON files of TREE are common code: words in no rarer shape do not
           count.
  hit      A function of TREE whose shapes cover SOLVED % of the answer's words, or more (when this
           was chosen, true copies had 58 % and more, all else 50 % and less). An answer of fewer
           than LONG words is searched for as a whole, together with the next statement, because a
           single library call is not an answer; if that has fewer than SHORT words, it is listed as
           too short to tell.

Functions, macros, comments with code in them and the code in *.md are searched; `solution` folders
are not. It cannot find the same idea in other statements.
Exit status: 0 no hit, 1 hits, 2 usage.
"""
import argparse
import collections
import difflib
import functools
import gc
import glob
import os
import re
import subprocess
import sys

WINDOW, COMMON, LONG, SHORT, SOLVED = 12, 6, 20, 13, 55
# Known to be alike, answer by answer, and not to be fixed.
KNOWN = {
    # The library's own SGD is what these exercises are to write once more, for one layer.
    "momentum nesterov outer_step": "common/backend/cpu/cpu_vector.c tests/support/reference.c",
    "outer_step": "lab3_scale/check/6f_lamb_check.c",
    # All-reduce, then 1/P: from here on the course says so itself.
    "average test": "lab2_ddp/parts/8_local/local_method.c lab2_ddp/parts/8_local/local_study.c"
                    " lab2_ddp/parts/10_shard/shard_study.c lab3_scale/parts/4_norm/norm_ranks.c",
    "average": "common/analysis/hessian.c",
    "fraction_done": "lab3_scale/parts/4_norm/norm_ranks.c",
    "shard_reduce": "lab2_ddp/parts/10_shard/shard_study.c",
    # The library's own backward pass, of a whole head; and a dot product.
    "softmax_backward": "common/backend/cpu/cpu_attention.c common/backend/cpu/cpu_norm.c",
    "product": "lab1_gd/parts/5_landscape/directions.c",
    # A constructor's lines.
    "make_model": "common/plot/timeline_figure.c lab2_ddp/parts/9_asynchrony/async_view.c",
    # Four calls in a row.
    "mlp_forward": "lab3_scale/parts/6_optimisers/optimisers.c",
    # (1 - t) a + t b: colours, and moving averages.
    "interpolate": "common/plot/plot_field.c tests/support/reference.c",
}
KNOWN = {(name, file) for names, files in KNOWN.items()
         for name in names.split() for file in files.split()}
KEYWORDS = set("if else for while do switch case default return break continue sizeof goto".split())
TYPES = set("void char short int long float double signed unsigned bool const static inline extern"
            " volatile register restrict struct union enum typedef FILE".split())
LIBC = set("sqrt cbrt fabs fmax fmin pow exp expm1 log log1p log2 log10 floor ceil round sin cos"
           " tan atan atan2 hypot isfinite isnan memcpy memset memmove malloc calloc free qsort"
           " printf fprintf snprintf strcmp strlen".split())
CONSTANTS = set("NULL INFINITY NAN true false".split())
TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|\.\.\.|->|<<=|>>=|[-+*/%&|^<>=!]="
                   r"|\+\+|--|&&|\|\||<<|>>|\S")
COMMENT = r"/\*.*?\*/|//[^\n]*"
STRING = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\''
DIRECTIVE = r"^[ \t]*#(?:\\\n|[^\n])*"

Word = collections.namedtuple("Word", "text line")
Region = collections.namedtuple("Region", "name line words")
Answer = collections.namedtuple("Answer", "name words changed own")  # own: of each word, is it?


# ---- words ----

def read(path):
    if path.endswith(".patch"):
        return subprocess.run(["patch", "-sfF0", "-r-", "-o-", stub_of(path), path], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
    with open(path, errors="replace") as file:
        return file.read()


def blank(text, pattern):
    """Empty strings for strings, and line ends for the rest of what matches."""
    def left(match):
        return '""' if match[0][0] in "\"'" else " " + "\n" * match[0].count("\n")
    return re.sub(pattern, left, text, flags=re.S | re.M)


def tokens(text, line=1):
    found, at = [], 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        found.append(Word(match[0], line))
    return found


def text(words):
    return " ".join(w.text for w in words)


@functools.lru_cache(None)
def is_name(t):
    return (t[0].isalpha() or t[0] in "_@") and t not in KEYWORDS


@functools.lru_cache(None)
def is_type(t):
    return t in TYPES or t.endswith("_t") or re.fullmatch("[A-Z][A-Z0-9]*[a-z][A-Za-z0-9]*", t)


def closing(words, i):
    """The index of the bracket that closes words[i]."""
    depth = 0
    for j in range(i, len(words)):
        depth += (words[j].text in "([{") - (words[j].text in ")]}")
        if depth == 0:
            return j
    return len(words) - 1


def without_types(words):
    left, i = [], 0
    while i < len(words):
        if words[i].text == "(":
            j = closing(words, i)
            inside = [w.text for w in words[i + 1:j]]
            if inside and is_type(inside[0]) and all(is_type(t) or t == "*" for t in inside):
                i = j + 1
                continue
        if not is_type(words[i].text):
            left.append(words[i])
        i += 1
    return left


@functools.lru_cache(None)
def plain(t):
    """1.0f, 1.0 and 1 are the same; so are fmaxf and fmax."""
    if t[-1] == "f" and t[:-1] in LIBC:
        return t[:-1]
    if not re.match(r"\.?\d", t):
        return t
    try:
        return "%.9g" % (int(t.rstrip("uUlL"), 16) if t[:2] == "0x" else float(t.rstrip("fFlLuU")))
    except ValueError:
        return t


def with_chains(words, library):
    """a->b.c becomes @a.b.c, and op->scale( of the library scale( alone."""
    out = []
    for i, (t, line) in enumerate(words):
        before = words[i - 1].text if i else ";"
        if before in (".", "->"):
            of = words[i - 2].text if i > 1 else ";"
            if is_name(of):
                called = library.keeps(t, text(words[i + 1:i + 2]))
                out[-1] = Word(t if called else "@%s.%s" % (out[-1].text.lstrip("@"), t), line)
            elif of not in (")", "]"):
                out.append(Word("@" + t, line))
        elif t not in (".", "->"):
            out.append(Word(plain(t), line))
    return out


def without_grouping(words):
    out, stay = [], []  # of each open bracket: does it stay?
    for word in words:
        t, before = word.text, out[-1].text if out else ";"
        value = is_name(before) or before[0].isdigit() or before in (")", "]")
        if t in ("*", "&") and not value:
            continue
        if t in ("(", "[", "{"):
            stay.append({"(": value or before in ("if", "for", "while", "switch"), "[": True,
                         "{": before in ("=", "return", ",", "(")}[t])
            if not stay[-1]:
                continue
        elif t in (")", "]", "}") and stay and not stay.pop():
            continue
        elif t == "," and True not in stay:  # int a = 1, b = 2;
            word = Word(";", word.line)
        out.append(word)
    return out


def statements(words):
    """Cut behind each ; and behind the condition of each if, for, while."""
    cut, begin, i = [], 0, 0
    while i < len(words):
        if words[i].text in ("if", "for", "while", "switch") and i + 1 < len(words):
            i = closing(words, i + 1)
        elif words[i].text != ";" and i + 1 < len(words):
            i += 1
            continue
        cut.append(words[begin:i + 1])
        begin = i = i + 1
    return cut


def says_nothing(s):
    """Nothing, a name alone (int i;), or a second name for a thing (r = comm->rank)."""
    t = [w.text for w in s]
    return t == [";"] or len(t) == 2 and is_name(t[0]) or (
        len(t) == 4 and t[1] == "=" and t[0][0] != "@" and is_name(t[0]) and is_name(t[2]))


def normal(words, library):
    words = without_grouping(with_chains(without_types(words), library))
    return [w for s in statements(words) if not says_nothing(s) for w in s]


# ---- shapes ----

class Library:
    """The names that a copier must keep."""
    def __init__(self, project):
        headers = glob.glob(project + "/common/**/*.h", recursive=True)
        text = "".join(blank(read(path), COMMENT + "|" + STRING) for path in headers)
        self.functions = LIBC.union(re.findall(r"(\w+)\s*\(", text))
        self.functions.update(re.findall(r"\(\*(\w+)\)", text))
        self.constants = set(re.findall(r"\b[A-Z][A-Z0-9_]+\b", text)) | CONSTANTS

    def keeps(self, name, behind):
        called = behind == "(" and name in self.functions
        return called or name in self.constants or name.startswith("MPI_")


def shapes(words, library, length=WINDOW):
    """The shape of each `length` words in a row."""
    texts = [w.text for w in words] + [";"]
    free = [is_name(t) and not library.keeps(t, behind) for t, behind in zip(texts, texts[1:])]
    # Of a name how far back it was last, 0 if not in this window; the window moves on.
    code, last, after = texts[:-1], {}, {}
    for i, t in enumerate(code):
        if free[i]:
            code[i] = i - last.get(t, i)
            after[last.get(t)] = i
            last[t] = i
    for i in range(len(words) - length + 1):
        yield tuple(code[i:i + length])
        if i in after:
            code[after[i]] = 0


def covered(words, windows, wanted):
    """Of each word: is it in one of the windows whose shape is wanted?"""
    found = [False] * len(words)
    for i, shape in enumerate(windows):
        if wanted(shape):
            found[i:i + WINDOW] = [True] * WINDOW
    return found


# ---- files ----

def functions(words):
    i = 0
    while i < len(words):
        j = closing(words, i) if words[i].text in "([{" else i
        if words[i].text == "(" and i and text(words[j + 1:j + 2]) == "{":
            end = closing(words, j + 1)
            yield words[i - 1].text, words[i - 1].line, words[j + 2:end]
            j = end
        i = j + 1


def regions(path, library):
    """A file's functions, and what else in it may be code."""
    code, found, handout = read(path), [], path.endswith(".md")
    pieces = {"code": r"^```.*?^```"} if handout else {"comment": COMMENT, "macro": DIRECTIVE}
    for name, pattern in pieces.items():
        for match in re.finditer(pattern, code, re.S | re.M):
            line = code.count("\n", 0, match.start()) + 1
            if re.search("[;=]|return", match[0]):
                found.append((name, line, tokens(blank(match[0], STRING), line)))
    if not handout:
        found += functions(tokens(blank(blank(code, COMMENT + "|" + STRING), DIRECTIVE)))
    return [Region(name, line, normal(words, library)) for name, line, words in found]


def tree_regions(tree, library):
    for folder, inside, names in os.walk(tree):
        inside[:] = sorted(d for d in inside if d not in ("solution", "build") and d[0] != ".")
        for name in sorted(n for n in names if re.search(r"\.(c|h|cu|md)$", n)):
            path = os.path.join(folder, name)
            for region in regions(path, library):
                yield os.path.relpath(path, tree), region


def stub_of(solution):
    folder, name = os.path.split(solution.replace(".patch", ".c"))
    lab = os.path.dirname(folder)
    stubs = [os.path.join(lab, "exercises", name), os.path.join(lab, name)]
    return next((stub for stub in stubs if os.path.exists(stub)), None)


def answers_of(solution, library):
    given, answers = regions(stub_of(solution), library), []
    given_shapes = {s for r in given for s in shapes(r.words, library)}
    for name, _, words in regions(solution, library):
        if name in ("comment", "macro"):
            continue
        old = [text(s) for r in given if r.name == name for s in statements(r.words)]
        new = [text(s) for s in statements(words)]
        blocks = difflib.SequenceMatcher(None, old, new, False).get_matching_blocks()
        kept = {i for block in blocks for i in range(block.b, block.b + block.size)}
        changed = [i not in kept for i, s in enumerate(statements(words)) for _ in s]
        known = covered(words, shapes(words, library), given_shapes.__contains__)
        own = [c and not k for c, k in zip(changed, known)]
        if any(own):
            answers.append(Answer(name, words, changed, own))
    return answers


def whole(answer):
    """A short answer: from its first changed word to the last, and the statement behind it."""
    first = answer.changed.index(True)
    last = len(answer.words) - 1 - answer.changed[::-1].index(True)
    behind = statements(answer.words[last + 1:])
    return answer.words[first:last + 1] + (behind[0] if behind else [])


# ---- the comparison ----

class Tree:
    """What students get: its regions, and how many of its files each shape is in."""
    def __init__(self, folder, library):
        self.library = library
        self.regions = [(file, region, set(shapes(region.words, library)))
                        for file, region in tree_regions(folder, library)]
        by_file = collections.defaultdict(set)
        for file, _, found in self.regions:
            by_file[file] |= found
        self.files = len(by_file)
        self.count = collections.Counter(shape for found in by_file.values() for shape in found)

    def with_part_of(self, answer, windows, telling):
        rare = {s for s in windows if self.count[s] <= COMMON}
        for file, region, found in self.regions:
            if rare & found:
                parts = covered(answer.words, windows, (rare & found).__contains__)
                percent = 100 * sum(t and p for t, p in zip(telling, parts)) // sum(telling)
                if percent >= SOLVED:
                    yield file, region, percent

    def with_all_of(self, words):
        begin, all_of_it = (next(shapes(words, self.library, n)) for n in (WINDOW, len(words)))
        for file, region, found in self.regions:
            if begin in found and all_of_it in shapes(region.words, self.library, len(words)):
                yield file, region, 100

    def with_answer(self, answer):
        """(file, region, percent) of each region that has it; None: it is too short to tell."""
        windows = list(shapes(answer.words, self.library))
        rarely = covered(answer.words, windows, lambda shape: self.count[shape] <= COMMON)
        telling = [own and rare for own, rare in zip(answer.own, rarely)]
        if sum(telling) >= LONG:
            return list(self.with_part_of(answer, windows, telling))
        words = whole(answer)
        return list(self.with_all_of(words)) if len(words) >= SHORT else None


def main():
    project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser = argparse.ArgumentParser(description="Does anything in TREE solve an exercise?")
    parser.add_argument("tree", metavar="TREE", help="what students get")
    parser.add_argument("--solutions", metavar="DIR", default=project, help="has LAB/solution/*.c")
    args = parser.parse_args()
    solutions = sorted(glob.glob(args.solutions + "/*/solution/*.c")
                       + glob.glob(args.solutions + "/*/solution/*.patch"))
    if not os.path.isdir(args.tree):
        parser.error("%s is no folder" % args.tree)
    if not solutions:
        parser.error("%s has no */solution/*.c" % args.solutions)

    library = Library(args.solutions)
    tree = Tree(args.tree, library)
    hits, compared, short = 0, 0, []
    for path in solutions:
        name = os.path.relpath(path, args.solutions).replace(".patch", ".c")
        if not stub_of(path):
            parser.error("%s: there is no stub of it" % name)
        answers = answers_of(path, library)
        if not answers:
            print("%s: all of it is in its stub" % name)
            hits += 1
        for answer in answers:
            found = tree.with_answer(answer)
            if found is None:
                short.append("too short to tell: %s (%s)" % (name, answer.name))
                continue
            compared += 1
            found = [hit for hit in found if (answer.name, hit[0]) not in KNOWN]
            hits += len(found)
            for file, region, percent in found:
                print("%s:%d (%s): %d %% of %s (%s)"
                      % (file, region.line, region.name, percent, name, answer.name))
    for line in short:
        print(line)
    print("%d answers of %d solutions in %d files: %d hits"
          % (compared, len(solutions), tree.files, hits))
    return 1 if hits else 0


if __name__ == "__main__":
    gc.disable()  # millions of tuples, no cycles
    sys.exit(main())
