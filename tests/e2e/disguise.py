#!/usr/bin/env python3
"""disguise.py SOLUTION COPY…: a solution's functions as a student would copy them so that nobody
sees it, in COPY; any number of pairs.

Every name that may be another one is another one (variables, parameters, members, the solution's
own functions), so are types and strings; no comments; each function on one line, behind a prologue
that does something else. For tests/e2e/handout.sh; it uses nothing of shapes.py, so that it shares
none of its mistakes.
"""
import glob
import os
import re
import sys

PROLOGUE = "long zz = clock() % 97; while (zz > 7) zz /= 3; if (zz < 2) puts(\"\");"
STAYS = set("if else for while do switch case default return break continue sizeof void char short"
            " int long float double unsigned bool const static struct enum NULL true false"
            " sqrt sqrtf pow fmax fmaxf fmin fminf fabs fabsf memcpy free".split())
FUNCTION = r"^\w[\w *]*?\b(\w+)\([^;{}]*\)\s*\{( [^\n]*|\n.*?\n)\}$"  # its } ends a line


def disguised(solution, library):
    new_names, out = {}, []

    def other(match):
        name, called = match[1], match[2]
        fixed = name in STAYS or name.endswith("_t") or re.match("[A-Z][A-Za-z]", name)
        if fixed or called and name in library:
            return match[0]
        return new_names.setdefault(name, "other_%d" % (len(new_names) + 1)) + called

    text = re.sub(r"/\*.*?\*/", "", open(solution).read(), flags=re.S)
    text = re.sub(r"^ *#.*", "", text, flags=re.M)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '"other words"', text)
    for name, body in re.findall(FUNCTION, text, re.M | re.S):
        body = re.sub(r"(?<![\w.])([A-Za-z_]\w*)\b(\s*\(|)", other, body)
        body = re.sub(r"(?<=\.)([a-z_]\w*)\b(\s*\(|)", other, body)
        body = re.sub(r"\breturn ([^;]+);", r"return (\1);", body)
        body = " ".join(body.replace("double", "float").replace("1.0f", "1").split())
        out.append("static void *planted_%s(char *zz_argument) { %s %s }\n"
                   % (name, PROLOGUE, body))
    return "".join(out)


def main():
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit("usage: disguise.py SOLUTION COPY [SOLUTION COPY]…")
    project = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    headers = "".join(open(h).read() for h in glob.glob(project + "/common/**/*.h", recursive=True))
    library = set(re.findall(r"(\w+)\s*\(", headers)) | set(re.findall(r"\(\*(\w+)\)", headers))
    for solution, copy in zip(sys.argv[1::2], sys.argv[2::2]):
        with open(copy, "w") as file:
            file.write(disguised(solution, library))


if __name__ == "__main__":
    main()
