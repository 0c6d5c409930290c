/* evidence.h: what a training computes, told to the grader while it computes it. Off unless the
 * environment variable LABS_EVIDENCE names a Unix socket that somebody listens at.
 *
 * The one place that sees all of data-parallel training, whatever the student does with loaders,
 * collectives, optimisers and schedules, is the backward pass. Each one sends a message: the
 * weights, the batch and the gradient that it added, before any hook can change it. Nothing in it
 * needs to be believed: the grader computes gradients of its choice again, from images of its own,
 * and asks whether the gradients explain how the weights moved (assessment/grader/inspection.h).
 *
 * A message, in this machine's byte order:
 *
 *     EvidenceHead
 *     float    weights [params]
 *     float    gradient [params]
 *     int32_t  labels [n]
 *     float    weight_of_sample [n]      if weighted
 *     Augment  picks [n]                 if picked: the images that a loader made the batch of …
 *     float    x [n, h, w, c]            … else the batch itself
 *
 * A listener that has gone is no error: the training goes on without it.
 */
#ifndef EVIDENCE_H
#define EVIDENCE_H
#include "model.h"

#define EVIDENCE_MAGIC 0x31656469766567ULL

typedef struct EvidenceHead {
    uint64_t magic;
    int64_t params;
    int32_t rank, n, h, w, c;
    int32_t weighted, picked, stats_ranks;
    int32_t epoch;     /* of the loader; 0 if not picked */
    uint64_t x_digest; /* evidence_digest of x, dense */
    /* The network: its ModelSpec. */
    char name[32];
    int32_t classes, hidden[8], no_skip, no_batchnorm, ghost;
} EvidenceHead;

/* What limits a message, for its reader. */
enum { EVIDENCE_PARAMS = 1 << 24, EVIDENCE_IMAGES = 1 << 16 };

bool evidence_on(void);
/* 64 bits that tell vectors apart; no secret, no signature. */
uint64_t evidence_digest(const float *v, size_t n);

/* The library's own calls, all without effect when the evidence is off. */
/* From the loader: the batch in x's memory is made of these images (copied), in this epoch; NULL:
 * forget it. */
void evidence_batch(Tensor x, const Augment *picks, int epoch);
/* Around model_backward on the batch x with its labels and weights (or NO_TENSOR), and in it
 * whenever elements [first, first + count) of the gradient are complete. */
void evidence_begin(Model *m);
void evidence_slice(Model *m, size_t first, int count);
void evidence_end(Model *m, Tensor x, Tensor label, Tensor weight);
#endif
