"""torch_rate.py: PyTorch's images per second, on command: the peer of train_rate.c, with the same
protocol.

    torch_rate.py MODEL THREADS SETTING [BATCH [TOKENS]]

TOKENS: of a window, for a MODEL of text.

SETTING: default (eager, NCHW), channels-last (of text: eager), compiled (torch.compile, channels
last), bf16 (autocast, channels last), bf16-compiled (both). On a GPU, channels last, with cuDNN's
choice of the fastest: cuda-fp32, cuda-tf32, cuda-bf16 (autocast), cuda-fp16 (autocast, its loss
scaled by a GradScaler), and each with -compiled (torch.compile; the whole step, fused SGD included,
is one CUDA graph); THREADS is then ignored. channels-last-layers, bf16-layers: after each line read
it calls every convolution alone instead, forward and backward, for about that long in all, prints
"name,seconds" of a batch (the median) for each, and an empty line.
Prints "ready VERSION";
then for each line read, a number of seconds, trains for about that long and prints "images seconds
peak_KiB". With WORLD_SIZE=2 it is one of two ranks of DistributedDataParallel over gloo, pinned to
core RANK; rank 0 reads the commands. Networks: tests/torch/models.py.
"""
import os
import resource
import sys
import time
import warnings

warnings.filterwarnings("ignore")
try:
    import torch
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(77)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "torch"))
import models

IMAGES = 2048


def network(name, tokens):
    """The network, random inputs and labels."""
    if name.startswith("gpt"):
        shape = (1, 1, tokens)
        return models.build(name, shape, 256), *torch.randint(0, 256, (2, IMAGES, *shape))
    size, channels = (28, 1) if name.startswith("wrn") else (32, 3)
    shape = (channels, size, size)
    return models.build(name, shape), torch.randn(IMAGES, *shape), torch.randint(0, 10, (IMAGES,))


def recorded(train, optimiser, x, label):
    """train(x, label) as a CUDA graph, to be replayed on other images of the same shape."""
    x, label = x.clone(), label.clone()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):  # compiles, chooses cuDNN's kernels, creates the momentum
        for _ in range(5):
            optimiser.zero_grad()
            train(x, label)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    optimiser.zero_grad()
    with torch.cuda.graph(graph):  # gradients are None: backward() writes them, does not add
        train(x, label)

    def replay(images, labels):
        x.copy_(images)
        label.copy_(labels)
        graph.replay()

    return replay


def measure_convolutions(model, x, wanted, dtype):
    """Prints each convolution's seconds for the batch x, on the input that it gets there."""
    inputs = {}
    layers = {name: of for name, of in model.named_modules() if isinstance(of, torch.nn.Conv2d)}
    for name, layer in layers.items():
        layer.register_forward_hook(lambda _, given, out, name=name: inputs.update(
            {name: (given[0].detach(), torch.randn_like(out))}))
    model(x)
    for name, layer in layers.items():
        layer._forward_hooks.clear()
        given, gradient = (of.to(dtype) for of in inputs[name])
        weight = layer.weight.detach().to(dtype).contiguous(memory_format=torch.channels_last)
        weight.requires_grad_(True)
        given.requires_grad_(given.shape[1] > 4)  # images need no gradient
        times, end = [], time.perf_counter() + wanted / len(layers)
        while len(times) < 7 or time.perf_counter() < end:
            given.grad = weight.grad = None
            began = time.perf_counter()
            torch.nn.functional.conv2d(given, weight, None, layer.stride,
                                       layer.padding).backward(gradient)
            times.append(time.perf_counter() - began)
        print(f"{name},{sorted(times)[len(times) // 2]:.9f}")
    print(flush=True)


def main():
    name, threads, setting = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    batch = int(sys.argv[4]) if len(sys.argv) > 4 else 128
    tokens = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    gpu, compiled = setting.startswith("cuda"), setting.endswith("compiled")
    device = "cuda" if gpu else "cpu"
    if gpu:
        if not torch.cuda.is_available():
            print("skipped: no GPU that PyTorch can use")
            sys.exit(77)
        torch.backends.cudnn.benchmark = True
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = "tf32" in setting
    else:
        torch.set_num_threads(threads)
    torch.manual_seed(0)
    rank, ranks = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if ranks > 1:
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[rank]})
        torch.distributed.init_process_group("gloo")
    model, x, label = (of.to(device) for of in network(name, tokens))
    if setting != "default" and tokens == 1:
        model = model.to(memory_format=torch.channels_last)
        x = x.contiguous(memory_format=torch.channels_last)
    wrapped = torch.nn.parallel.DistributedDataParallel(model) if ranks > 1 else model
    optimiser = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=5e-4,
                                fused=True if gpu else None)

    scaler = torch.amp.GradScaler(device, enabled="fp16" in setting)
    half = torch.float16 if "fp16" in setting else torch.bfloat16

    def loss_of(x, label):
        return torch.nn.functional.cross_entropy(wrapped(x).flatten(0, -2), label.flatten())

    if compiled:
        loss_of = torch.compile(loss_of)

    def train(x, label):
        with torch.autocast(device, dtype=half, enabled="16" in setting):
            loss = loss_of(x, label)
        scaler.scale(loss).backward()
        scaler.step(optimiser)
        scaler.update()

    replay = recorded(train, optimiser, x[:batch], label[:batch]) if gpu and compiled else None

    def step(k):
        first = k * batch % (IMAGES - batch + 1)
        images, labels = x[first:first + batch], label[first:first + batch]
        if replay:
            replay(images, labels)
        else:
            optimiser.zero_grad()
            train(images, labels)

    if setting.endswith("layers"):
        print("ready", torch.__version__, flush=True)
        for line in sys.stdin:
            measure_convolutions(model, x[:batch], float(line),
                                 half if "16" in setting else torch.float32)
        return

    def finish():
        if gpu:
            torch.cuda.synchronize()

    for k in range(20 if gpu else 5):
        began = time.perf_counter()
        step(k)
        finish()
        seconds = time.perf_counter() - began
    if rank == 0:
        print("ready", torch.__version__, flush=True)
    while True:
        line = sys.stdin.readline() if rank == 0 else ""
        command = torch.tensor([float(line or 0), seconds])
        if ranks > 1:
            torch.distributed.broadcast(command, 0)
        wanted, seconds = command.tolist()
        if wanted <= 0:
            break
        steps = int(wanted / seconds) + 1
        began = time.perf_counter()
        for k in range(steps):
            step(k)
        finish()
        took = time.perf_counter() - began
        seconds = took / steps
        if rank == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(steps * batch * ranks, f"{took:.6f}", peak, flush=True)


main()
