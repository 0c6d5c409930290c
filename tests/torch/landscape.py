"""Is it the loss that PyTorch finds there? landscape.py FOLDER NAME: reads what lab 1's part 5 left in FOLDER (NAME.safetensors,
NAME.directions.safetensors, NAME-plane.csv: Fashion-MNIST, training images) and computes some of the plane's points again, in float64.
"""
import csv
import gzip
import json
import os
import sys

import safetensors.torch
import torch

import models

DATA = "/usr/share/datasets/fashion-mnist"


def read_idx(name, dims):
    path = os.path.join(DATA, name)
    data = gzip.open(path + ".gz").read() if os.path.exists(path + ".gz") else open(path, "rb").read()
    return torch.frombuffer(bytearray(data[4 + 4 * dims:]), dtype=torch.uint8)


def training_images(count):
    """The first training images, normalised as the labs do, and their labels."""
    every = read_idx("train-images-idx3-ubyte", 3).reshape(-1, 1, 28, 28).double() / 255
    x = (every[:count] - every.mean()) / every.std(correction=0)
    return x, read_idx("train-labels-idx1-ubyte", 1)[:count].long()


def network(checkpoint, name, skip=True):
    model = models.build(name, (1, 28, 28), skip=skip)
    model.load_state_dict(safetensors.torch.load_file(checkpoint), strict=False)
    return model


@torch.no_grad()
def mean_loss(model, x, label, batch):
    total = 0.0
    for first in range(0, len(x), batch):
        total += torch.nn.functional.cross_entropy(model(x[first:first + batch]), label[first:first + batch], reduction="sum").item()
    return total / len(x)


def main():
    folder, name = sys.argv[1:3]
    with open(os.path.join(folder, name + "-plane.csv")) as f:
        what = json.loads(f.readline()[1:])
        points = list(csv.DictReader(f))
    model = network(os.path.join(folder, name + ".safetensors"), name.split("-")[0], "without" not in name).double()
    directions = safetensors.torch.load_file(os.path.join(folder, name + ".directions.safetensors"))
    origin = {n: p.detach().clone() for n, p in model.named_parameters()}
    x, label = training_images(what["images"])
    model.train(what["batch norm"] == "batch")
    worst = 0.0
    for k in range(0, len(points), max(1, len(points) // 12)):
        a, b, loss = (float(points[k][key]) for key in ("a", "b", "loss"))
        with torch.no_grad():
            for n, p in model.named_parameters():
                p.copy_(origin[n] + a * directions["x." + n].double() + b * directions["y." + n].double())
        theirs = mean_loss(model, x, label, what["measure batch"])
        worst = max(worst, abs(loss - theirs) / theirs)
        print(f"a {a:6.3f} b {b:6.3f} ours {loss:.6f} PyTorch float64 {theirs:.6f}")
    inner = sum((directions["x." + n].double() * directions["y." + n].double()).sum().item() for n in origin)
    length = sum((directions["x." + n].double() ** 2).sum().item() for n in origin)
    print(f"furthest off: {worst:.1e}; x.y / x.x = {inner / length:.1e}")
    sys.exit(0 if worst <= 1e-4 and abs(inner / length) < 1e-6 else 1)


if __name__ == "__main__":
    main()
