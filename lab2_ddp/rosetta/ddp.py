"""3_train.c in PyTorch DDP; the numbers are its nine steps. Resumes from our checkpoint:

torchrun --nproc-per-node 2 lab2_ddp/rosetta/ddp.py CHECKPOINT DATA_FOLDER EPOCHS IMAGES BATCH RATE
"""
import sys

import torch
import torch.distributed as dist
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from files import checkpoint, fashion  # our weights and velocities; images and labels

path, folder = sys.argv[1:3]
epochs, images, batch = map(int, sys.argv[3:6])
rate = float(sys.argv[6])

dist.init_process_group("gloo")                                               # 1  comm_open
rank, P = dist.get_rank(), dist.get_world_size()
torch.set_num_threads(1)                                                      # 2  a device per rank
say = print if rank == 0 else lambda *words: None                             # 3  one voice
x, label = fashion(folder, images)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 256), torch.nn.ReLU(),
                          torch.nn.Linear(256, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
weights, velocities = checkpoint(path)
if rank == 0:                                            # the other ranks keep what they drew …
    for p, w in zip(net.parameters(), weights):
        p.data.copy_(w)
model = DDP(net)                                                              # 5  … until here
sgd = torch.optim.SGD(net.parameters(), rate * P, 0.9, weight_decay=5e-4)     # 7  P times the rate
for p, v in zip(net.parameters(), velocities):
    sgd.state[p]["momentum_buffer"] = v
for epoch in range(epochs):
    order = torch.randperm(images, generator=torch.Generator().manual_seed(epoch))
    total = torch.zeros(2)
    for first in range(0, images - P * batch + 1, P * batch):
        mine = order[first + rank * batch:first + (rank + 1) * batch]         # 4  a slice
        loss = F.cross_entropy(model(x[mine]), label[mine])
        sgd.zero_grad()
        loss.backward()                                  # 6  the average: all-reduces, in buckets
        sgd.step()
        total += torch.tensor([loss.item() * batch, batch])
    dist.all_reduce(total)                                                    # 8  sums, not means
    say(f"epoch {epoch}: loss {total[0] / total[1]:.7f} over {int(total[1])} images, {P} ranks")
if rank == 0:                                                                 # 9  one file
    torch.save(net.state_dict(), path + ".pt")
dist.destroy_process_group()                                                  # 1b comm_close
