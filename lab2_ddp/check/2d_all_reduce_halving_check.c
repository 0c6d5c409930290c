/* 2d_all_reduce_halving_check.c: the check of all_reduce_halving. */
#include "check_collective.h"
#include <math.h>

static int messages(int rank, int P)
{
    int even = even_ranks(P), is_extra = rank >= even, has_extra = rank < P - even;
    return is_extra ? 1 : 2 * (int)log2(even) + has_extra;
}

static double vectors(int rank, int P)
{
    int even = even_ranks(P), is_extra = rank >= even, has_extra = rank < P - even;
    return is_extra ? 1 : 2 * (even - 1.0) / even + has_extra;
}

/* The bits of the rank, the highest first, say in which half. */
static bool complete(int i, int count, int rank, int P)
{
    int begin = 0, end = count, even = even_ranks(P);
    for (int bit = even / 2; bit > 0; bit /= 2)
        *(rank & bit ? &begin : &end) = begin + (end - begin) / 2;
    return rank < even && i >= begin && i < end;
}

static int first_half(int rank, int P) { return rank < even_ranks(P) ? log2(P) : 1; }

int main(int argc, char **argv)
{
    static const char *const halves[] = {
        "; not every rank has the sum of the range that it halved down to: look at the first part",
        "; every rank has the sum of the range that it halved down to: look at the way back"};
    return check_collective(
        argc, argv,
        &(Collective){.name = "halving",
                      .points = 3,
                      .expected = "all_reduce_halving: the sum; 2(P-1)/P of the data sent, in "
                                  "2 log2 P messages",
                      .algorithm = ALL_REDUCE_HALVING,
                      .all_reduce = all_reduce_halving,
                      .messages = messages,
                      .vectors = vectors,
                      .slack = 6,
                      .halves = halves,
                      .complete = complete,
                      .first_half = first_half});
}
