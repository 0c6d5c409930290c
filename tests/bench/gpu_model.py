"""gpu_model.py: what one training step in BF16 or FP16 takes on an H100, predicted launch by
launch: the table of docs/gpu.md. No measurement goes in.

    python3 tests/bench/gpu_model.py [--parts]

Each kernel takes the longest of its bytes, its instructions and its latencies, and then the gap to
the next. "Before" are batch norm's, axpy's and the filters' kernels as they were when they read
element by element; "now" as they are, with counts from their assembly (tests/e2e/cuda_ptxas.sh).
--parts: where the time goes, too.
"""
import math
import sys

SMS, CLOCK, HBM, L2, TENSOR = 132, 1.755e9, 3.35e12, 5.5e12, 800e12
CUDNN = {"resnet": 0.45, "wrn": 0.50}  # part of TENSOR that convolutions reach
GAP, LAUNCH = 1.2e-6, 1.0e-6  # from kernel to kernel in a graph; start and end of one
ISSUE = 128 * 0.75 * SMS * CLOCK  # instructions of threads per second


def up(a, b):
    return -(-a // b)


def memory(size):
    """Seconds for bytes: from HBM where they do not fit into L2."""
    return size / (0.9 * HBM if size > 30e6 else 0.8 * L2)


def latency(size):
    return (650 if size > 30e6 else 270) / CLOCK


class Step:
    def __init__(self, now, efficiency, fp16):
        self.now, self.efficiency, self.fp16 = now, efficiency, fp16
        self.parts, self.launches, self.packed = {}, 0, 0

    def add(self, name, seconds, launches=1):
        self.parts[name] = self.parts.get(name, 0) + seconds + launches * GAP
        self.launches += launches

    def seconds(self):
        return sum(self.parts.values())


def small(step, name, seconds, count=1):
    step.add(name, count * seconds, count)


# ---- elementwise kernels ----


def by_element(step, name, n, size, instructions, loads, resident, threads, each, extra=0.0):
    """Before: a load is in flight at a time. n elements of `size` bytes, read and written; loads
    that wait for each other; threads that a multiprocessor holds, that were launched; elements
    that each takes."""
    wait, active = latency(n * size), min(resident, threads / SMS)
    step.add(name, LAUNCH + max(
        memory(n * size), n * instructions / ISSUE, n * loads * wait / (active * SMS),
        each * loads * wait + extra + each * instructions * 4 / CLOCK * min(1, active / 512)))


def by_access(step, name, n, size, instructions, blocks, registers, ahead=4, extra=0.0):
    """Now: 8 elements an access, `ahead` accesses in flight in each of a block's 256 threads. A
    multiprocessor's share of the blocks comes in waves, as registers allow; each of a wave's rounds
    waits once."""
    resident = max(1, min(8, 65536 // (up(registers, 8) * 8 * 256)))
    waves = up(blocks, SMS * resident)
    rounds = up(up(n, 8 * 256 * blocks), ahead)
    in_wave = min(resident, up(blocks, SMS)) * 8 / 4  # warps of a scheduler
    busy = min(ahead, n / (8 * 256 * blocks)) * 8 * instructions * in_wave / CLOCK
    step.add(name, LAUNCH + extra * waves + max(
        memory(n * size), n * instructions / ISSUE, waves * rounds * (latency(n * size) + busy)))


# ---- batch norm ----


def strips(channels, threads):
    count = up(channels, 128)
    wide = up(channels, count)
    wide = up(wide, 32) * 32 if count > 1 else wide
    return wide, threads // wide, count


def norm_before(step, images, pixels, channels, relu, residual):
    n = images * pixels * channels
    wide, lanes, count = strips(channels, 512)
    use = lanes * wide / 512
    by_element(step, "norm: moments", n, 2, 12, 1, 2048, images * count * 512 * use,
               up(pixels, lanes), 0.6e-6)
    small(step, "norm: small kernels", 2.0e-6, 2)
    by_element(step, "norm: sums backward", n, 6 if relu else 4, 73 if relu else 45,
               3 if relu else 1.5, 1024 * use, min(images, 512) * count * 512 * use,
               up(pixels, lanes) * up(images, 512), 0.6e-6)
    small(step, "norm: small kernels", 2.5e-6, 2)
    wide, lanes, count = strips(channels, 256)
    use = lanes * wide / 256 * channels / (wide * count)
    by_element(step, "norm: forward", n, 6 if residual else 4, (95 if residual else 71) / use,
               2 if residual else 1, 2048 * use, n / 8, 8, 1.0e-6)
    by_element(step, "norm: backward", n, (8 if relu else 6) + (2 if residual else 0),
               (130 if residual else 110) / use, 3 if relu else 2, 1536 * use, n / 8, 8, 1.5e-6)


def norm_cut(row, pixels, least, most):
    """cuda_plan.h: norm_cut; a group is the whole batch. Strips, lanes, pieces."""
    accesses = 8 if row % 8 == 0 else row & -row
    count, lanes = row // accesses, 256 // accesses
    pieces = min(max(up(pixels, lanes * 4), least // count), most // count)
    return count, lanes, max(1, min(pieces, up(pixels, lanes)))


def norm_now(step, images, pixels, channels, relu, residual):
    n, row = images * pixels * channels, channels // 8
    from_x = relu and not residual  # the mask: y is not read
    count, lanes, pieces = norm_cut(row, images * pixels, 132 * 2, 132 * 8)
    blocks = count * pieces
    by_access(step, "norm: moments", n, 2, 8, images * count, 52, extra=0.7e-6)
    small(step, "norm: small kernels", 2.0e-6 + images / 32 / 4 * 270 / CLOCK)
    by_access(step, "norm: forward", n, 6 if residual else 4, 19 if residual else 16, blocks,
              72 if residual else 64, extra=0.8e-6)
    pieces = norm_cut(row, images * pixels, 132 * 2, 132 * 2)[2]
    pieces = max(pieces, up(images * pixels, lanes * 64))  # norm_sums_cut
    per_block = up(pieces, 256 // (2 * 8 * (row // count)))  # the last block's own sums
    by_access(step, "norm: sums backward", n, 6 if relu and not from_x else 4, 14, count * pieces,
              92, extra=1.5e-6)
    step.add("norm: sums backward", 1.5e-6 + per_block / 4 * 270 / CLOCK, 0)
    by_access(step, "norm: backward", n, (8 if relu and not from_x else 6) + (2 if residual else 0),
              28 if residual else 18, blocks, 120, extra=0.9e-6)


def norm(step, images, pixels, channels, relu=True, residual=False):
    (norm_now if step.now else norm_before)(step, images, pixels, channels, relu, residual)


# ---- convolutions by cuDNN ----


def filters(step, weights, first):
    """Packed for forward and backward data, and the gradient unpacked: before, in each of these
    passes, by a sector of 32 bytes for each element; now for all convolutions at once (pack_all),
    but for the first, whose input is padded."""
    for size in (36, 66) if first else (36, 36, 66):
        if not step.now:
            seconds = max(weights * 100 / ISSUE, weights * size / (0.7 * L2))
            step.add("filters: pack, unpack", LAUNCH + max(seconds, 1.5e-6))
    if step.now:
        step.packed += 0 if first else weights
        for size in (6, 10) if first else (10,):
            seconds = max(weights * 45 / ISSUE, weights * size / (0.7 * L2))
            step.add("filters: pack, unpack", LAUNCH + max(seconds, 1.5e-6))


def pack_all(step):
    if step.now:
        seconds = max(step.packed * 45 / ISSUE, memory(step.packed * 6))
        step.add("filters: pack, unpack", LAUNCH + max(seconds, 1.5e-6))


def conv(step, images, side, inputs, outputs, R, stride, first=False):
    out = up(side, stride)
    pixels, wide = images * out * out, 8 if first else inputs
    size = 2.0 * (images * side * side * wide + pixels * outputs + outputs * wide * R * R)
    flops = 2.0 * pixels * outputs * wide * R * R
    for kind in ("forward", "weight") if first else ("forward", "weight", "data"):
        produced, summed = (wide, outputs) if kind == "data" else (outputs, wide)
        part = step.efficiency * min(1, produced / 64) * min(1, math.sqrt(summed / 32))
        bandwidth = 0.55 * HBM if size > 30e6 else 0.5 * L2
        seconds = max(flops / (part * TENSOR), size / bandwidth)
        seconds *= 1.5 if kind == "data" and stride == 2 else 1
        step.add("conv " + kind, seconds + 3e-6)
        if kind == "weight":
            step.add("conv weight", 3e-6)
        if first:
            n = images * side * side
            by_element(step, "image padded to 8 channels", n, 4 * inputs + 16, 60, 1, 2048,
                       min(n, SMS * 8 * 4 * 256), max(1, n / (SMS * 8 * 4 * 256)))
    filters(step, inputs * outputs * R * R, first)


def add_residual(step, n):
    if step.now:
        by_access(step, "residual axpy", n, 6, 14, up(n, 8 * 256), 32, 1)
    else:
        each = max(1, n / (SMS * 8 * 4 * 256))
        by_element(step, "residual axpy", n, 6, 60, 2, 2048, min(n, SMS * 8 * 4 * 256), each)
    step.add("residual's gradient, copied", LAUNCH + memory(n * 5))


# ---- networks ----


def loss_scaling(step, parameters):
    """FP16's: the loss's gradient times S, all gradients by S, and the look at them."""
    small(step, "loss scaling", 2e-6, 2)
    step.add("loss scaling", LAUNCH + max(memory(parameters * 8), 1e-6))


def rest(step, images, parameters):
    pack_all(step)
    small(step, "head, loss", 3e-6, 9)
    step.add("loss", 4e-6 + images / 256 * 4e-6)
    step.add("SGD, zeroed gradients", parameters * 24 / (0.8 * HBM) + 4e-6, 3)
    if step.fp16:
        loss_scaling(step, parameters)


def resnet(images, depth, now, fp16=False):
    step, side, inputs = Step(now, CUDNN["resnet"], fp16), 32, 16
    conv(step, images, 32, 3, 16, 3, 1, first=True)
    norm(step, images, 32 * 32, 16)
    for stage in range(3):
        outputs = 16 << stage
        for block in range((depth - 2) // 6):
            stride = 2 if stage > 0 and block == 0 else 1
            out = up(side, stride)
            conv(step, images, side, inputs, outputs, 3, stride)
            norm(step, images, out * out, outputs)
            conv(step, images, out, outputs, outputs, 3, 1)
            norm(step, images, out * out, outputs, residual=True)
            if stride != 1:
                conv(step, images, side, inputs, outputs, 1, stride)
                norm(step, images, out * out, outputs, relu=False)
            side, inputs = out, outputs
    rest(step, images, 0.08e6 * (depth - 2) / 6)
    return step


def wrn(images, now, fp16=False):
    step, side, inputs = Step(now, CUDNN["wrn"], fp16), 32, 16
    conv(step, images, side, 3, 16, 3, 1, first=True)
    for stage in range(3):
        outputs = 160 << stage
        for block in range(2):
            stride = 2 if stage > 0 and block == 0 else 1
            out = up(side, stride)
            norm(step, images, side * side, inputs)
            if inputs != outputs:
                conv(step, images, side, inputs, outputs, 1, stride)
            conv(step, images, side, inputs, outputs, 3, stride)
            norm(step, images, out * out, outputs)
            conv(step, images, out, outputs, outputs, 3, 1)
            add_residual(step, images * out * out * outputs)
            side, inputs = out, outputs
    norm(step, images, side * side, inputs)
    rest(step, images, 17.1e6)
    return step


NETWORKS = {"ResNet-8": lambda n, *how: resnet(n, 8, *how),
            "ResNet-20": lambda n, *how: resnet(n, 20, *how), "WRN-16-10": wrn}
SIZES = (128, 512, 1024)


def main():
    print("| step, ms: before → now | launches | N = 128 | N = 512 | N = 1,024 |")
    print("|---|---|---|---|---|")
    for name, network in NETWORKS.items():
        before, now = ([network(n, k) for n in SIZES] for k in (False, True))
        steps = " | ".join(f"{a.seconds() * 1e3:.2f} → {b.seconds() * 1e3:.2f}"
                           for a, b in zip(before, now))
        print(f"| {name} | {before[0].launches} → {now[0].launches} | {steps} |")
        if "--parts" in sys.argv:
            for part in sorted(before[2].parts, key=before[2].parts.get, reverse=True):
                print(part.rjust(30), " ".join(
                    f"{a.parts[part] * 1e6:8.0f} → {b.parts[part] * 1e6:5.0f}"
                    for a, b in zip(before, now)))
        fp16 = [network(n, True, True) for n in SIZES]
        steps = " | ".join(f"{a.seconds() * 1e3:.2f}" for a in fp16)
        print(f"| {name}, FP16, now | {fp16[0].launches} | {steps} |")


main()
