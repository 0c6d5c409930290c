/* 9a_serve_next.c: exercise: which gradients does the parameter server use next? */
#include "check.h"
#include "lab2.h"

/* A parameter server keeps the weights, and workers send it gradients. Which of the n gradients in
 * `queue`, which are in no particular order, does it use for the next update? `version` is the
 * number of updates made so far, and of the weights that it sends out.
 *
 * wait_for = 1 is asynchronous: every gradient counts, even one computed with old weights; use
 * the one that arrived first. With wait_for > 1 the server waits until it has that many
 * gradients of the current version (one per worker: synchronous; fewer: the rest are backup
 * workers, Chen et al., arXiv 1604.00981): use the wait_for of them that arrived first;
 * those of an older version came too late, and are not used.
 *
 * Write the indices in queue of the gradients to use into `use`, the first to arrive first (of
 * those that arrived at the same time the lower worker), and return how many: wait_for, or 0 if the
 * server must wait for more (what is in `use` then does not matter). It has room for wait_for. */
int serve_next(int *use, const Arrived *queue, int n, int version, int wait_for)
{
    TODO("choose from the queue, in the order of arrival, or wait");
}
