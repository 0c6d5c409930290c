#!/usr/bin/env python3
r"""Make published/steps.csv from the data of Shallue et al. (arXiv 1811.03600).

    git clone --depth 1 --filter=blob:none --sparse \
        https://github.com/google-research/google-research
    (in it) git sparse-checkout set batch_science
    lab3_scale/published/derive.py FOLDER/batch_science

Their archive has one table of measurements per workload, with a row per training and step. For each
batch size this keeps the fewest steps in which any of their tuned trainings reached the goal error:
their figure's points. Not run where this was written: the archive was out of reach. A table whose
columns have other names ends it with a list of those found; nothing is guessed.
"""
import csv
import json
import pathlib
import sys

# workload in steps.csv, words of its file's path, column of the error, goal
WORKLOADS = [("fashion cnn", ("fashion_mnist", "simple_cnn"), 0.1),
             ("cifar10 resnet8", ("cifar10", "resnet_8"), 0.3)]
NEEDED = ("batch_size", "step", "val/error_rate")


def rows_of(path):
    with open(path, newline="") as f:
        if path.suffix == ".json":
            yield from json.load(f)
        else:
            yield from csv.DictReader(f)


def fewest_steps(path, goal):
    fewest = {}
    for row in rows_of(path):
        missing = [name for name in NEEDED if name not in row]
        if missing:
            sys.exit(f"{path}: no column {missing[0]}; it has {', '.join(row)}")
        if row["val/error_rate"] and float(row["val/error_rate"]) <= goal:
            batch, step = int(row["batch_size"]), int(row["step"])
            fewest[batch] = min(step, fewest.get(batch, step))
    return fewest


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    files = [p for p in pathlib.Path(sys.argv[1]).rglob("*") if p.suffix in (".csv", ".json")]
    out = ["workload,batch,steps"]
    for name, words, goal in WORKLOADS:
        found = [p for p in files if all(w in str(p).lower() for w in words)]
        if len(found) != 1:
            sys.exit(f"{name}: expected one file whose path has {words}, found {len(found)}")
        fewest = fewest_steps(found[0], goal)
        out += [f"{name},{batch},{fewest[batch]}" for batch in sorted(fewest)]
    pathlib.Path(__file__).with_name("steps.csv").write_text("\n".join(out) + "\n")


main()
