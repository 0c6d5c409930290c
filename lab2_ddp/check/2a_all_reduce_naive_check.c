/* 2a_all_reduce_naive_check.c: the check of all_reduce_naive. */
#include "check_collective.h"

static int messages(int rank, int P) { return rank == 0 ? P - 1 : 1; }

static bool complete(int i, int count, int rank, int P) { return rank == 0; }

static int first_half(int rank, int P) { return rank > 0; }

int main(int argc, char **argv)
{
    static const char *const halves[] = {
        "; rank 0 lacks the sum when it begins to send: look at the gather",
        "; rank 0 has the sum: look at how it comes back"};
    return check_collective(
        argc, argv,
        &(Collective){.name = "naive",
                      .points = 2,
                      .expected = "all_reduce_naive: the sum, through rank 0; (P-1) vectors from "
                                  "there, one from the others",
                      .algorithm = ALL_REDUCE_NAIVE,
                      .all_reduce = all_reduce_naive,
                      .messages = messages,
                      .halves = halves,
                      .complete = complete,
                      .first_half = first_half});
}
