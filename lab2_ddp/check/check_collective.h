/* check_collective.h: the check of an all-reduce made of messages: the sum, the same bits on all
 * ranks, no write out of bounds, no vector on the stack, all requests completed, who sends how
 * much, and how long it takes on a link.
 *
 *     check/2b_all_reduce_ring               judges it
 *     trial/2b_all_reduce_ring --rank FILE   one rank of that: the same program, linked with the
 *                                            exercise; the first one starts it under mpirun
 */
#ifndef CHECK_COLLECTIVE_H
#define CHECK_COLLECTIVE_H
#include "lab2.h"
#include <stdbool.h>

typedef struct Collective {
    const char *name; /* of its line: "ring" */
    int points;
    const char *expected; /* what that line says */
    Algorithm algorithm;
    AllReduce *all_reduce;
    /* What a rank sends of count >= P elements: messages, and elements as a multiple of count;
     * where chunks have no equal size up to `slack` elements more or less. vectors NULL: each
     * message is a whole vector. */
    int (*messages)(int rank, int P);
    double (*vectors)(int rank, int P);
    int slack;
    /* What to say if the first or the second of its halves is wrong; NULL: it has no halves. Has
     * the rank the whole sum of element i after the first, in which it sends so many messages? */
    const char *const *halves;
    bool (*complete)(int i, int count, int rank, int P);
    int (*first_half)(int rank, int P);
    int (*next)(int rank, int P); /* to whom all messages go; NULL: not always to the same rank */
} Collective;

/* main() of the check. */
int check_collective(int argc, char **argv, const Collective *c);
/* One rank: tries the cases for this world size. What is wrong, or "right", is in `file` at the
 * end, below lines that say which cases began. */
void check_collective_rank(const Collective *c, const char *file);
/* What these lines begin with. */
#define TRYING "trying "
#define RIGHT "right"

/* The largest power of two that is not above P. */
int even_ranks(int P);

/* What all ranks together wait for on path_ranks[i] ranks: this many latencies, and the time in
 * which a card sends `vectors` whole vectors. */
typedef struct PathCost {
    double latencies, vectors;
} PathCost;
enum { PATH_COSTS = 8 };
extern const int path_ranks[PATH_COSTS];
extern const PathCost path_costs[ALL_REDUCES][PATH_COSTS];
#endif
