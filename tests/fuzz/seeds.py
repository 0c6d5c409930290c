#!/usr/bin/env python3
"""seeds.py FOLDER: writes initial inputs for the fuzzers of the data-set readers:
FOLDER/fuzz_idx.corpus, FOLDER/fuzz_cifar.corpus.

The first byte of each is the fuzzer's choice (dimensions, records); the rest is the file."""
import gzip
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
    folder = os.path.join(sys.argv[1], fuzzer + ".corpus")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as out:
        out.write(bytes([choice]) + file)


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
