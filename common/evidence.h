/* evidence.h: reports what a training computes to the grader, while it runs. Off unless the
 * environment variable LABS_EVIDENCE names a Unix socket with a listener.
 *
 * However a student writes loaders, collectives, optimisers and schedules, all of the training goes
 * through the backward pass. Each pass sends a message: the weights, the batch and the gradient
 * that it added, before any hook can change it. The grader trusts none of it: it recomputes
 * gradients of its choice from its own images, and checks that the gradients explain how the
 * weights moved (assessment/grader/inspection.h).
 *
 * A message, in this machine's byte order:
 *
 *     EvidenceHead
 *     float    weights [params]
 *     float    gradient [params]
 *     int32_t  labels [n]
 *     float    weight_of_sample [n]      if weighted
 *     Augment  picks [n]                 if picked: the images that a loader made the batch of
 *     float    x [n, h, w, c]            the batch
 *
 * If the listener is gone, the training continues without it.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H
#include "backend.h"

#define EVIDENCE_MAGIC 0x32656469766567ULL

typedef struct EvidenceHead {
    uint64_t magic;
    int64_t params;
    int32_t rank, n, h, w, c;
    int32_t weighted, picked, stats_ranks;
    int32_t epoch;     /* of the loader; 0 if not picked */
    int32_t precision; /* Precision (backend.h) */
    int32_t world;     /* ranks in comm_open's world, 0: not called; for advice only */
    float smoothing;   /* of the labels */
    /* The network: its ModelSpec. */
    char name[32];
    int32_t classes, hidden[8], no_skip, no_batchnorm, ghost;
} EvidenceHead;

/* What limits a message, for its reader. */
enum { EVIDENCE_PARAMS = 1 << 22, EVIDENCE_IMAGES = 1 << 16 };

/* Becomes an observer (observer.h), if LABS_EVIDENCE is set; called before main. */
void evidence_begin(void) __attribute__((constructor));
#endif
