/* measured.h: what part 8 measures on this machine's ranks: the time of a ring's messages, to which
 * α and β are fitted, and updates of 1, 2, … ranks that really compute and exchange.
 */
#ifndef MEASURED_H
#define MEASURED_H
#include "lab3.h"
#include "study.h"
#include "training.h"

enum { MEASURED_RANKS = 8, RING_SIZES = 7 };

typedef struct Measured {
    int ranks; /* measured on 1, 2, … ranks */
    /* [p - 1]: seconds of an update of p ranks that compute at the same time, without and with the
     * exchange of their gradients. The slowest rank counts, in the fastest of some rounds: others
     * may compute here, too. */
    double alone[MEASURED_RANKS], together[MEASURED_RANKS];
    /* A ring of two: seconds of its all-reduce by its bytes, and the fit. With one rank NaN. */
    double bytes[RING_SIZES], ring[RING_SIZES], alpha, beta;
} Measured;

/* The work of a study on all ranks, of which rank 0 gets the result. Those not needed sleep: at
 * most MEASURED_RANKS take part. False: stopped. */
bool measured_ranks(Measured *m, Study *s, const TrainingSpec *spec);
#endif
