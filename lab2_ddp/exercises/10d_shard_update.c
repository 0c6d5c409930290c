/* 10d_shard_update.c: exercise: a step on this rank's shard, and then all parameters. */
#include "check.h"
#include "lab2.h"

/* u->my_grads is this rank's shard of the mean gradient. Only this rank has the optimiser's state
 * for these parameters, so it alone can update them:
 *
 *   1. unit_sgd(z, u, rate): a step on u->my_params with u->my_grads and u->my_velocity.
 *   2. In stages 1 and 2 every rank keeps all parameters, and now has old ones in all shards but
 *      its own: comm_all_gather (MPI_Allgather, ncclAllGather) of u->my_params into u->params. (In
 *      place: u->my_params is part of u->params.) In stage 3 no rank keeps them: the next
 *      forward pass gathers them layer by layer (10e).
 *
 * So reduce-scatter, step, all-gather: an all-reduce with the step in its middle. */
void shard_update(Sharded *z, ShardUnit *u, double rate)
{
    TODO("a step on this rank's shard; in stages 1 and 2 all-gather the parameters");
}
