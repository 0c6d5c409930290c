/* comm_place.h: where each rank keeps its tensors, and whether NCCL can carry them. NCCL needs one
 * GPU per rank: with two ranks on one GPU it refuses to start. The decision needs no GPU: one rank
 * judges the places of all.
 */
#ifndef COMM_PLACE_H
#define COMM_PLACE_H
#include <stddef.h>

typedef struct Place {
    char host[256];    /* the machine's name, for the message */
    char machine[300]; /* equal for ranks of one machine only */
    char gpu[32];      /* the GPU's PCI bus id, unique on its machine; "": host memory */
} Place;

typedef enum {
    PLACES_ON_HOST, /* no rank has tensors on a GPU */
    PLACES_APART,   /* each rank has its own GPU */
    PLACES_MIXED    /* ranks share a GPU, or only some have one */
} Places;

/* place: [ranks], rank 0's first. *why: a new string, why NCCL cannot carry the tensors, free() it;
 * NULL where it can. */
Places places_judge(const Place *place, int ranks, char **why);
#endif
