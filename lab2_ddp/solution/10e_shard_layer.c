/* 10e_shard_layer.c: ZeRO 3: a layer's parameters, while they are needed. */
#include "lab2.h"

void shard_layer(Sharded *z, ShardUnit *u, bool before)
{
    if (!before) {
        unit_free(z, &u->params);
        return;
    }
    u->params = unit_new(z, u);
    comm_all_gather(z->comm, u->params, u->my_params, z->s);
}
