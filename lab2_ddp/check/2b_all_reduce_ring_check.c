/* 2b_all_reduce_ring_check.c: the check of all_reduce_ring. */
#include "check_collective.h"

static int messages(int rank, int P) { return 2 * (P - 1); }

static double vectors(int rank, int P) { return 2 * (P - 1.0) / P; }

/* Element i is in chunk ⌈(i+1) P / count⌉ - 1. */
static bool complete(int i, int count, int rank, int P)
{
    return ((i + 1L) * P - 1) / count == (rank + 1) % P;
}

static int first_half(int rank, int P) { return P - 1; }

static int next(int rank, int P) { return (rank + 1) % P; }

int main(int argc, char **argv)
{
    static const char *const halves[] = {
        "; not every rank has the sum of its chunk r+1: look at the reduce-scatter",
        "; every rank has the sum of its chunk r+1: look at the all-gather"};
    return check_collective(
        argc, argv,
        &(Collective){.name = "ring",
                      .points = 4,
                      .expected = "all_reduce_ring: the sum; 2(P-1)/P of the data sent, in 2(P-1) "
                                  "messages",
                      .algorithm = ALL_REDUCE_RING,
                      .all_reduce = all_reduce_ring,
                      .messages = messages,
                      .vectors = vectors,
                      .slack = 2,
                      .halves = halves,
                      .complete = complete,
                      .first_half = first_half,
                      .next = next});
}
