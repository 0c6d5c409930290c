/* measure.h: how long an all-reduce takes on the first P ranks of the run, and what it sends. */
#ifndef MEASURE_H
#define MEASURE_H
#include "all_reduces.h"
#include "link.h"

enum { MOST_WORLDS = 12, MOST_SIZES = 10 };

/* The first P ranks, for each P that is measured. */
typedef struct Worlds {
    int count;
    int P[MOST_WORLDS];
    MPI_Comm comm[MOST_WORLDS]; /* MPI_COMM_NULL: this rank is not in it */
} Worlds;

/* P = 2, 3, 4, 6, 8, 12, … up to the ranks of the run. Collective. */
Worlds worlds_new(int ranks);
void worlds_free(Worlds *w);

typedef struct Measured {
    bool done, right;       /* right: every rank has the sum */
    double seconds;         /* of the rank that ends last; the median of some calls */
    double messages, bytes; /* sent by the rank that sends most */
} Measured;

/* Collective over the run; the result is on every rank. */
Measured measure(AllReduce *call, int count, const Worlds *w, int world, Link link, Comm *all);
#endif
