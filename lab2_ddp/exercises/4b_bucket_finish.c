/* 4b_bucket_finish.c: exercise: wait for the buckets that are still in flight. */
#include "check.h"
#include "lab2.h"

/* The backward pass is over: every slice was given to bucket_add (4a_bucket_add.c). Now
 *
 *   1. start the all-reduce of what is left in the open bucket [b->first, b->end), if anything is:
 *      the last bucket is rarely full;
 *   2. comm_wait(b->comm, …) once for every request in b->flight[0 … b->count);
 *   3. make b ready for the next backward pass: nothing in flight, and an empty open bucket at the
 *      end of the vector: first = end = b->grads.n.
 *
 * Then b->grads is the sum over the ranks, as after one all-reduce of all of it. (The division by P
 * is done elsewhere.) Start before you wait: the last bucket then travels as well meanwhile. */
void bucket_finish(Buckets *b)
{
    TODO("start what is left, wait for all that is in flight, and empty b for the next update");
}
