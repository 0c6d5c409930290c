/* five_all_reduces.h: the sum over the ranks by five algorithms over messages, written down once
 * for the tests of the link (link.h), each with the time that the α-β model predicts for it. */
#ifndef FIVE_ALL_REDUCES_H
#define FIVE_ALL_REDUCES_H
#include "link.h"
#include <mpi.h>

enum { FIVE = 5 };

typedef struct AllReduce {
    const char *name;
    /* v[n] becomes the sum over the ranks; room[n]: for what is received. */
    void (*run)(float *v, float *room, int n, MPI_Comm comm);
    bool powers_only; /* of 2, for the ranks: the algorithm, or its prediction */
} AllReduce;

extern const AllReduce five_all_reduces[FIVE];
/* Seconds of the k-th on P ranks with `bytes` in all. */
double five_predicted(int k, int P, double bytes, Link link);
/* Seconds on this process's clock from a common start to the end of the last rank, the same on
 * every rank: the least of `repeats` runs of the k-th over n elements, since a busy machine delays
 * the real clock. On the virtual clock only the link counts, not the additions, as in the model. A
 * sum that is wrong ends the run (exit 1). */
double five_measured(int k, int n, int repeats, MPI_Comm comm);
#endif
