# Each rank draws a different order, so that the slices overlap.
# expect: fail images: on more than one rank
s/t->at\.seed, t->at\.epoch\);/t->at.seed + (uint64_t)t->comm->rank, t->at.epoch);/
