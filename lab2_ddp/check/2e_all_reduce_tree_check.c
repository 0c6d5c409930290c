/* 2e_all_reduce_tree_check.c: the check of all_reduce_tree. */
#include "check_collective.h"

/* One to the parent, and one to each child: there is one over each distance below the rank's lowest
 * bit. */
static int messages(int rank, int P)
{
    int sent = rank > 0;
    for (int child = 1; rank + child < P && (rank & child) == 0; child *= 2)
        sent++;
    return sent;
}

static bool complete(int i, int count, int rank, int P) { return rank == 0; }

static int first_half(int rank, int P) { return rank > 0; }

int main(int argc, char **argv)
{
    static const char *const halves[] = {
        "; rank 0 lacks the sum when it begins to send: look at the way up",
        "; rank 0 has the sum: look at the way down"};
    return check_collective(
        argc, argv,
        &(Collective){.name = "tree",
                      .points = 2,
                      .expected = "all_reduce_tree: the sum; one vector to the parent, one to each "
                                  "child",
                      .algorithm = ALL_REDUCE_TREE,
                      .all_reduce = all_reduce_tree,
                      .messages = messages,
                      .halves = halves,
                      .complete = complete,
                      .first_half = first_half});
}
