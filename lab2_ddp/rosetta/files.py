"""What ddp.py and horovod.py read: our checkpoint, which is a safetensors file, and Fashion-MNIST.
(With the safetensors package a checkpoint is one line: safetensors.torch.load_file(path).)"""
import gzip
import json
import pathlib

import torch


def checkpoint(path):
    """The parameters of an mlp, and their velocities, in the network's order."""
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])

    def tensor(name):
        first, end = (8 + size + at for at in header[name]["data_offsets"])
        values = torch.frombuffer(bytearray(data[first:end]), dtype=torch.float32)
        return values.reshape(header[name]["shape"])

    names = [f"fc{k}.{part}" for k in (1, 2, 3) for part in ("weight", "bias")]
    return [tensor(n) for n in names], [tensor("optimizer." + n) for n in names]


def idx(folder, name, header):
    data = gzip.decompress((pathlib.Path(folder) / name).read_bytes())
    return torch.frombuffer(bytearray(data[header:]), dtype=torch.uint8)


def fashion(folder, count):
    """The first training images, normalised over all of them, and their labels."""
    pixels = idx(folder, "train-images-idx3-ubyte.gz", 16).reshape(-1, 1, 28, 28)
    label = idx(folder, "train-labels-idx1-ubyte.gz", 8)
    every = pixels.double()
    mean, spread = every.mean().item(), every.std(correction=0).item()
    return (pixels[:count].float() - mean) / spread, label[:count].long()
