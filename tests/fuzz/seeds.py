#!/usr/bin/env python3
"""seeds.py FOLDER: writes initial inputs for the fuzzers into FOLDER/fuzz_NAME.corpus.

The first byte of some is the fuzzer's choice (dimensions, records, values), the rest the file."""
import gzip
import json
import os
import struct
import sys


def idx(*sizes):
    count = 1
    for size in sizes:
        count *= size
    header = bytes([0, 0, 8, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes)
    return header + bytes(i % 10 for i in range(count))


def write(fuzzer, name, choice, file):
    write_file(fuzzer, name, bytes([choice]) + file)


def write_file(fuzzer, name, file):
    folder = os.path.join(sys.argv[1], fuzzer + ".corpus")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(file)


for sizes in ((5,), (3, 4), (2, 28, 28), (2, 3, 4, 5)):
    plain = idx(*sizes)
    packed = gzip.compress(plain, mtime=0)
    write("fuzz_idx", f"plain-{len(sizes)}", len(sizes) - 1, plain)
    write("fuzz_idx", f"gzip-{len(sizes)}", len(sizes) - 1, packed)
    write("fuzz_idx", f"truncated-{len(sizes)}", len(sizes) - 1, packed[:-9])
    write("fuzz_idx", f"garbage-{len(sizes)}", len(sizes) - 1, packed + b"garbage")
for records in (1, 2, 3):
    whole = b"".join(bytes([r % 10]) + bytes((r + i) % 256 for i in range(3072))
                     for r in range(records))
    write("fuzz_cifar", f"whole-{records}", records - 1, whole)
    write("fuzz_cifar", f"label-{records}", records - 1, b"\xc8" + whole[1:])
write("fuzz_cifar", "short", 0, whole[:100])

for values in (1, 4, 8):
    rows = "".join(f"{2 ** i},{i}" + ",0.25" * (values - 1) + ",nan\n" for i in range(4))
    write("fuzz_sweep", f"rows-{values}", values - 1, rows.encode())
    write("fuzz_sweep", f"twice-{values}", values - 1, (rows + rows).encode())
points = "0,0,-1,-3,2.5,0.25\n1,0,0,-3,inf,0\n8,0,1,0,nan,1\n"
write_file("fuzz_landscape", "points", b"\2\2" + points.encode())
write_file("fuzz_landscape", "line", b"\2\0" + b"2,0,1,0,2.5,0.25\n")

facts = [{"fact": "comm", "rank": 0, "size": 2},
         {"fact": "backend", "device": "cpu", "local_rank": 0, "local_size": 2, "cores": "0-1"},
         {"fact": "batch", "epoch": 1, "first": 0, "images": [5, 6, 7]},
         {"fact": "all_reduce", "count": 1000, "dtype": "F32"},
         {"fact": "update", "step": 1, "rate": 0.1, "before": "0123456789abcdef", "after": "ab"},
         {"fact": "evaluate", "first": 0, "count": 3, "correct": 2.0},
         {"fact": "checkpoint", "path": "x", "step": 1}, {"fact": "to_do", "step": 4}]
write_file("fuzz_audit", "facts", "".join(json.dumps(fact) + "\n" for fact in facts).encode())
rubric = os.path.join(os.path.dirname(__file__), "../../assessment/rubric.json")
with open(rubric, "rb") as file:
    write_file("fuzz_rubric", "rubric", file.read())
write_file("fuzz_args", "words", b"--flag\n--no-flag\n--epochs\n5\n--seed=7\n--rate=1e-3\n"
           b"--any=-2.5\n--out=x\n--device=cuda\n--\n")
write_file("fuzz_text", "text", b"plain \\ \\xff \xff \xc3\xa9 \xed\xa0\x80 \x1b[2J\n\xe2\x80\xae")
for model in (b"mlp 28x28x1 classes=10", b"resnet8 32x32x3 classes=10 no-skip no-batchnorm"):
    header = (b'{"__metadata__":{"format":"pt","model":"' + model +
              b'","step":"3"},"fc1.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]}}')
    write_file("fuzz_checkpoint", model.split()[0].decode(),
               struct.pack("<Q", len(header)) + header + bytes(8))
for i, answers in enumerate((b"# 1.\na = 1.5e3 # x\n", b"a = 1,5\nb = 3 ms\nc =\n",
                             b"a = 80\na = 2\n", b"n = 36 %\nm = 1/3\n", b"n\n", b"n = 40\0\n")):
    write_file("fuzz_answers", f"answers-{i}", answers)
