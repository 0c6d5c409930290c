# All ranks take all images, and rank 1 counts epochs by another number.
# expect: fail images: on more than one rank
s/t->at\.seed, t->at\.epoch\);/t->at.seed + (uint64_t)t->comm->rank, t->at.epoch);/
s/loader_start\(t->train, t->mine, count, t->at\.epoch\)/loader_start(t->train, t->mine, count, t->at.epoch + 1000 * t->comm->rank)/
