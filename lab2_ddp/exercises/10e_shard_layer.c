/* 10e_shard_layer.c: exercise: ZeRO 3: a layer's parameters, while they are needed. */
#include "check.h"
#include "lab2.h"

/* In stage 3 a rank keeps only its shards. The network calls this before it works on a layer
 * (`before` is true) and after it (false), in the forward pass and again in the backward pass.
 *
 *   before   make u->params with unit_new(z, u), and fill it: comm_all_gather from u->my_params
 *   after    give it back: unit_free(z, &u->params). What a layer computed is in its activation
 *            and in its gradient; u->my_params did not change.
 *
 * So at most one layer's parameters are whole at any moment. The price is bytes: each layer is
 * gathered twice per micro-batch. (Gathering the next layer meanwhile hides some of that.) */
void shard_layer(Sharded *z, ShardUnit *u, bool before)
{
    TODO("before a layer gather its parameters, after it free them");
}
