#!/usr/bin/env bash
# ranks: 0
# sanitizers: no
# Files that need each other in a circle cannot be read, or tested, one at a time. In common/,
# the labs and the grader only the circle named here is left. Read off what each object file defines
# and what it uses.
set -u
python3 - "$BUILD" <<'END'
import collections, os, subprocess, sys
build = sys.argv[1]
known = [{"common/backend/cpu/backend_cpu", "common/backend/cpu/cpu_kernels"}]
folders = "common", "lab1_gd", "lab2_ddp", "lab3_scale", "assessment/grader"
def there(folder):  # objects, but none whose source has moved away
    for path, _, names in os.walk(f"{build}/{folder}"):
        for name in names:
            source = f"{path[len(build) + 1:]}/{name[:-2]}"
            if name.endswith(".o") and "/solution/" not in source and (
                    os.path.exists(source + ".c") or os.path.exists(source + ".cu")):
                yield f"{path}/{name}"
objects = [path for folder in folders for path in there(folder)]
symbols = subprocess.run(["nm", "-Ag", *objects], stdout=subprocess.PIPE, text=True, check=True)
names = collections.defaultdict(set)  # of an object: what it uses
home = {}  # (common, or a lab; name): the object that defines it
def part(path):
    return path[len(build) + 1:].split("/")[0]
for line in symbols.stdout.splitlines():
    path, kind, name = line.split(":")[0], *line.split()[-2:]
    if kind in "Uwv":
        names[path].add(name)
    else:
        home[part(path), name] = path
uses = {path: {home.get((part(path), name)) or home.get(("common", name)) for name in names[path]}
        for path in objects}

# Tarjan (1972): depth first; a circle is what reaches the same earliest file on the stack.
circles, order, earliest, stack = [], {}, {}, []
def visit(path):
    order[path] = earliest[path] = len(order)
    stack.append(path)
    for other in sorted(uses[path] - {None, path}):
        if other not in order:
            visit(other)
        if other in stack:
            earliest[path] = min(earliest[path], earliest[other])
    if earliest[path] == order[path]:
        at = stack.index(path)
        if len(stack) > at + 1:
            circles.append({file[len(build) + 1:-2] for file in stack[at:]})
        del stack[at:]
sys.setrecursionlimit(10000)
for path in objects:
    if path not in order:
        visit(path)
new = [circle for circle in circles if not any(two <= circle for two in known)]
for circle in circles:
    print("circle:" if circle not in new else "wrong: a new circle:", *sorted(circle))
print(f"{len(objects)} files, {len(circles)} circles")
sys.exit(bool(new) or len(circles) > len(known) or len(objects) < 300)
END
