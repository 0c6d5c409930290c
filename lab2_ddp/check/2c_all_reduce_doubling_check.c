/* 2c_all_reduce_doubling_check.c: the check of all_reduce_doubling. */
#include "check_collective.h"
#include <math.h>

static int messages(int rank, int P)
{
    int even = even_ranks(P), is_extra = rank >= even, has_extra = rank < P - even;
    return is_extra ? 1 : (int)log2(even) + has_extra;
}

int main(int argc, char **argv)
{
    return check_collective(
        argc, argv,
        &(Collective){.name = "doubling",
                      .points = 3,
                      .expected = "all_reduce_doubling: the sum; log2 P whole vectors sent",
                      .algorithm = ALL_REDUCE_DOUBLING,
                      .all_reduce = all_reduce_doubling,
                      .messages = messages});
}
