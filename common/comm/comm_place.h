/* comm_place.h: where each rank's numbers lie, and whether NCCL can carry them. NCCL wants a GPU
 * for each rank: with two ranks on one GPU it refuses to start. No GPU is needed to decide it: the
 * ranks tell their places, one judges.
 */
#ifndef COMM_PLACE_H
#define COMM_PLACE_H
#include <stddef.h>

typedef struct Place {
    char host[256];    /* the machine's name, for the message */
    char machine[300]; /* what only ranks of this machine have */
    char gpu[32];      /* the GPU's PCI bus id, alone on its machine; "": the numbers are in
                        * host memory */
} Place;

typedef enum {
    PLACES_ON_HOST, /* no rank's numbers are on a GPU */
    PLACES_APART,   /* each rank has a GPU of its own */
    PLACES_MIXED    /* two ranks share one, or some have one and some have none */
} Places;

/* place: [ranks], rank 0's first. *why: a new string, why NCCL cannot carry the numbers, free() it;
 * NULL where it can. */
Places places_judge(const Place *place, int ranks, char **why);
#endif
