/* 2e_all_reduce_tree.c: exercise: the all-reduce up and down a binomial tree: rank 0 is no longer
 * alone with the work.
 */
#include "check.h"
#include "lab2.h"

/* All-reduce over a binomial tree: every rank ends with the sum over the ranks of v [count].
 *
 *   1. reduce, upwards: in the steps d = 1, 2, 4, … below P the ranks with r mod 2d = d send their
 *      v to rank r - d and are done with this part; the ranks with r mod 2d = 0 receive from rank
 *      r + d, if there is one (r + d < P), into a temporary buffer and add it to their own.
 *      Afterwards rank 0 has the sum.
 *   2. broadcast, downwards: the same steps backwards, from the largest d to 1: a rank with
 *      r mod 2d = 0 sends the sum to rank r + d, if there is one; a rank with r mod 2d = d
 *      overwrites its v with what arrives from r - d.
 * So a message of count elements runs along each branch of the tree, up and down: 2 (P-1) messages
 * in all, of which rank 0 sends ⌈log2 P⌉.
 *
 * Any P >= 1, any count >= 0. Point-to-point functions only, as in 2a.
 * Thakur, Rabenseifner & Gropp, "Optimization of collective communication operations in MPICH",
 * 2005, sections 4.2 and 4.4. */
void all_reduce_tree(float *v, int count, MPI_Comm comm)
{
    TODO("all_reduce_tree: add up the tree to rank 0, then send the sum down the tree");
}
