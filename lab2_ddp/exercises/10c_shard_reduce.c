/* 10c_shard_reduce.c: exercise: from the whole gradient of a rank to its shard of the mean. */
#include "check.h"
#include "lab2.h"

/* This rank's gradient of unit u is complete: u->grads [P * each]. Do three things:
 *
 *   1. comm_reduce_scatter (MPI_Reduce_scatter_block, ncclReduceScatter) of u->grads with COMM_SUM
 *      into u->my_grads [each]: this rank's shard of the sum over the ranks. In stage 1 u->my_grads
 *      is part of u->grads: the call works in place, and the rest of u->grads is then undefined.
 *   2. Make it the mean: z->be->op->scale(z->s, tensor, factor), on the shard alone.
 *   3. From stage 2 on nobody keeps a whole gradient: unit_free(z, &u->grads). In stage 1 the
 *      network's next backward pass writes to it again: it stays.
 *
 * It is called in stage 1 once per update, after all micro-batches; from stage 2 on in the backward
 * pass, as soon as a layer's gradient is complete. Work on z->s is done in the order in which it
 * was queued; unit_free waits for the work that uses the memory. */
void shard_reduce(Sharded *z, ShardUnit *u)
{
    TODO("reduce-scatter the gradient into this rank's shard, make it the mean, free the whole");
}
