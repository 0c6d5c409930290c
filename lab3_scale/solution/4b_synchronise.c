/* 4b_synchronise.c: batch norm with the statistics of all ranks' images. */
#include "lab3.h"

/* The sums of all ranks, on every rank: a mean could not be added. */
static void add_up(void *context, Tensor sums, Stream *s)
{
    comm_all_reduce(context, sums, COMM_SUM, s);
}

void synchronise(Model *m, Comm *comm)
{
    m->stats_hook = add_up;
    m->stats_context = comm;
    m->stats_ranks = comm->size;
}
