#!/usr/bin/env python3
"""Read the points of Shallue et al. (arXiv 1811.03600, figure 1) off the authors' own figure.

    derive.py reproduce_paper_plots.ipynb

The notebook lies in github.com/google-research/google-research, folder batch_science; its first
output is the figure as a PNG of 640 x 559 pixels. For each batch size this looks for the base of
the marker "^" (three pixels below its point) in the column of that power of two, and prints
workload,batch,steps. A marker stands on a whole pixel: half of one is 4 %. The numbers in
parts/1_batch_size/published_steps.c come from the line between the markers, and must agree with
that; markers that the frame cuts off have no number here. Needs numpy and Pillow.
"""
import base64
import io
import json
import sys

import numpy
from PIL import Image

# workload, then column and row of 2^0 and pixels per doubling (least squares over the grid lines,
# all of which lie within half a pixel), batch sizes
PANELS = [("fashion cnn", 240.93, 10.82, 142.52, 8.217,
           [2, 8, 32, 128, 512, 2048, 8192, 32768]),
          ("cifar10 resnet8", 450.50, 13.555, 191.11, 10.106,
           [2 ** i for i in range(1, 14)])]


def figure(path):
    if path.endswith(".ipynb"):
        with open(path) as f:
            cells = json.load(f)["cells"]
        png = next(o["data"]["image/png"] for c in cells for o in c.get("outputs", [])
                   if "image/png" in o.get("data", {}))
        image = Image.open(io.BytesIO(base64.b64decode("".join(png))))
    else:
        image = Image.open(path)
    return numpy.asarray(image.convert("RGB")).astype(int)


def base_row(pixels, column):
    """The row of the marker's base: dark, five pixels wide, blue above it."""
    for row in range(145, 20, -1):
        dark = pixels[row, column - 2:column + 3].max(axis=1) < 150
        r, g, b = pixels[row - 1, column]
        if dark.all() and b - r > 60 and b > g:
            return row
    return None


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pixels = figure(sys.argv[1])
    print("workload,batch,steps")
    for name, column, wide, row, high, batches in PANELS:
        for batch in batches:
            base = base_row(pixels, round(column + wide * numpy.log2(batch)))
            steps = "" if base is None else f"{2 ** ((row - (base - 3)) / high):.0f}"
            print(f"{name},{batch},{steps}")


main()
