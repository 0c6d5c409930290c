/* 4a_bucket_add.c: exercise: send the gradient while the rest of it is still being computed. */
#include "check.h"
#include "lab2.h"

/* In the backward pass a layer's gradient is complete on this rank: elements [first, first + count)
 * of b->grads. The pass begins with the last layer, so the slices come from the vector's end to its
 * start, without gaps: first + count is always b->first; count >= 1. Do three things:
 *
 *   1. Ask comm_test about every all-reduce in flight, b->flight[0 … b->count) (not the parameter
 *      count), and ignore the answers. MPI moves data only while the program is in one of its
 *      calls, and for the time of a backward pass there is no other.
 *   2. Extend the open bucket [b->first, b->end) by the slice.
 *   3. Once the open bucket has b->least bytes or more (an element has 4), start its all-reduce:
 *
 *          comm_all_reduce_start(b->comm, slice, COMM_SUM, b->s)        in MPI: MPI_Iallreduce
 *
 *      with tensor_slice(b->grads, first, n) (tensor.h) as the slice; append the request to
 *      b->flight; and begin a new, empty bucket where this one begins: b->end = b->first.
 *
 * Never wait here: the backward pass continues while the network works. What is in flight must not
 * be touched. What is left over in the open bucket is bucket_finish's (4b). There are at most
 * MOST_BUCKETS buckets.
 * Li et al., "PyTorch distributed: experiences on accelerating data parallel training", 2020
 * (arXiv 2006.15704), section 3.2. */
void bucket_add(Buckets *b, size_t first, int count)
{
    TODO("poll what is in flight, extend the open bucket, start its all-reduce once it is full");
}
