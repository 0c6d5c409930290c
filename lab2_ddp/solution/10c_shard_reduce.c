/* 10c_shard_reduce.c: from the whole gradient of a rank to its shard of the mean. */
#include "lab2.h"

void shard_reduce(Sharded *z, ShardUnit *u)
{
    comm_reduce_scatter(z->comm, u->my_grads, u->grads, COMM_SUM, z->s);
    z->be->op->scale(z->s, u->my_grads, 1.0f / (float)z->comm->size);
    if (z->stage >= ZERO_2)
        unit_free(z, &u->grads);
}
