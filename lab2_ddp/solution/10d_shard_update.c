/* 10d_shard_update.c: a step on this rank's shard, and then all parameters. */
#include "lab2.h"

void shard_update(Sharded *z, ShardUnit *u, double rate)
{
    unit_sgd(z, u, rate);
    if (z->stage < ZERO_3)
        comm_all_gather(z->comm, u->params, u->my_params, z->s);
}
