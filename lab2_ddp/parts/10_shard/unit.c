/* unit.c: what the exercises of part 10 call on a unit: its memory, and a step on a shard. */
#include "lab2.h"

Tensor unit_new(const Sharded *z, const ShardUnit *u)
{
    return tensor_new(z->be, F32, z->comm->size * u->each, 1, 1, 1, 0);
}

void unit_free(const Sharded *z, Tensor *t)
{
    z->be->op->stream_sync(z->s);
    tensor_free(z->be, *t);
    *t = NO_TENSOR;
}

void unit_sgd(const Sharded *z, ShardUnit *u, double rate)
{
    float value = (float)rate;
    z->be->op->upload(z->s, z->rate, &value);
    z->be->op->sgd(z->s, u->my_params, u->my_velocity, u->my_grads, z->rate, (float)z->momentum, 0,
                   false);
}
