/* 2b_all_reduce_ring.c: the check of all_reduce_ring. */
#include "check_collective.h"
#include <stdint.h>

static int messages(int rank, int P) { return 2 * (P - 1); }

static double vectors(int rank, int P) { return 2 * (P - 1.0) / P; }

static void complete(int *begin, int *end, int rank, int P, int count)
{
    int64_t chunk = (rank + 1) % P;
    *begin = (int)(count * chunk / P);
    *end = (int)(count * (chunk + 1) / P);
}

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
                      .complete = complete});
}
