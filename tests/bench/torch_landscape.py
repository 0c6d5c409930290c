"""torch_landscape.py: a loss landscape's points in PyTorch: the peer of lab 1's part 5.

    torch_landscape.py CHECKPOINT MODEL THREADS POINTS IMAGES BATCH

For POINTS points: weights = w + a x + b y, then the mean loss of IMAGES Fashion-MNIST images in batches of BATCH, with
running statistics, no gradients, channels last. Says "POINTS SECONDS LOSS-AT-THE-CENTRE". The directions are random: they do not change
the work.
"""
import os
import sys
import time

try:
    import torch
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torch"))
    import landscape
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)


def main():
    checkpoint, name = sys.argv[1], sys.argv[2]
    threads, points, images, batch = map(int, sys.argv[3:7])
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    x, label = landscape.training_images(images)
    x = x.float().contiguous(memory_format=torch.channels_last)
    model = landscape.network(checkpoint, name).to(memory_format=torch.channels_last).eval()
    origin = [p.detach().clone() for p in model.parameters()]
    directions = [[torch.randn_like(p) for p in origin] for _ in range(2)]

    @torch.no_grad()
    def loss_at(a, b):
        for p, w, dx, dy in zip(model.parameters(), origin, *directions):
            p.copy_(w + a * dx + b * dy)
        return landscape.mean_loss(model, x, label, batch)

    centre = loss_at(0, 0)
    loss_at(0.1, 0.1)
    began = time.perf_counter()
    for k in range(points):
        loss_at(0.001 * k, 0.002 * k)
    print(points, f"{time.perf_counter() - began:.4f}", f"{centre:.6f}")


main()
