"""3_train.c in Horovod; the numbers are its nine steps. (Our tests run ddp.py, not this one.)

horovodrun -np 2 python3 lab2_ddp/rosetta/horovod.py CHECKPOINT DATA_FOLDER EPOCHS IMAGES BATCH RATE
"""
import sys

import torch
from torch.nn import functional as F

sys.path = sys.path[1:] + sys.path[:1]  # this file has the library's name
import horovod.torch as hvd

from files import checkpoint, fashion

path, folder = sys.argv[1:3]
epochs, images, batch = map(int, sys.argv[3:6])
rate = float(sys.argv[6])

hvd.init()                                                                    # 1  comm_open
rank, P = hvd.rank(), hvd.size()
torch.set_num_threads(1)             # 2  with GPUs: torch.cuda.set_device(hvd.local_rank())
say = print if rank == 0 else lambda *words: None                             # 3  one voice
x, label = fashion(folder, images)
net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(784, 256), torch.nn.ReLU(),
                          torch.nn.Linear(256, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
if rank == 0:
    for p, w in zip(net.parameters(), checkpoint(path)[0]):
        p.data.copy_(w)
hvd.broadcast_parameters(net.state_dict(), root_rank=0)                       # 5  the broadcast
sgd = torch.optim.SGD(net.parameters(), rate * P, 0.9, weight_decay=5e-4)     # 7  P times the rate
sgd = hvd.DistributedOptimizer(sgd, named_parameters=net.named_parameters())
for epoch in range(epochs):
    order = torch.randperm(images, generator=torch.Generator().manual_seed(epoch))
    total = torch.zeros(2)
    for first in range(0, images - P * batch + 1, P * batch):
        mine = order[first + rank * batch:first + (rank + 1) * batch]         # 4  a slice
        sgd.zero_grad()
        loss = F.cross_entropy(net(x[mine]), label[mine])
        loss.backward()                                  # 6  all-reduces start here …
        sgd.step()                                       # 6  … and are waited for here
        total += torch.tensor([loss.item() * batch, batch])
    total = hvd.allreduce(total, op=hvd.Sum)                                  # 8  sums, not means
    say(f"epoch {epoch}: loss {total[0] / total[1]:.7f} over {int(total[1])} images, {P} ranks")
if rank == 0:                                                                 # 9  one file
    torch.save(net.state_dict(), path + ".pt")
hvd.shutdown()                                                                # 1b comm_close
