/* overlap_study.h: part 4's experiment: what share of an update three exchanges spend waiting, at
 * several bandwidths; how that depends on the size of the buckets; and the same without a link.
 */
#ifndef OVERLAP_STUDY_H
#define OVERLAP_STUDY_H
#include "guess.h"
#include "overlap_bench.h"
#include "study.h"

enum {
    STUDY_BANDWIDTHS = 6,
    STUDY_SIZES = 6,
    STUDY_EXCHANGES = 3, /* EXCHANGE_PER_LAYER and the two after it */
    /* The settings, in the order in which they are measured. */
    STUDY_COMPUTE = 0,                              /* no exchange */
    STUDY_CHOSEN = 1,                               /* three exchanges on the chosen link */
    STUDY_BY_SIZE = STUDY_CHOSEN + STUDY_EXCHANGES, /* buckets of several sizes, on that link */
    STUDY_STEADY = STUDY_BY_SIZE + STUDY_SIZES,     /* no link, real time: none, flat, buckets */
    STUDY_BY_BANDWIDTH = STUDY_STEADY + 3,          /* three exchanges at each bandwidth */
    STUDY_SETTINGS = STUDY_BY_BANDWIDTH + STUDY_EXCHANGES * STUDY_BANDWIDTHS
};
extern const double study_bandwidth[STUDY_BANDWIDTHS]; /* bit/s */
extern const double study_size[STUDY_SIZES];           /* bytes; 0: each layer; INFINITY: all */

typedef struct OverlapStudy {
    Study study; /* first: study.h */
    const char *model;
    Guess guess; /* of the wait of the overlapped exchange, in ms */
    int batch, updates;
    Bench *bench;
    /* Guarded by the study's lock: */
    Link link;    /* the chosen one */
    double least; /* bytes of a bucket */
    Measured measured[STUDY_SETTINGS];
    double predicted[STUDY_SETTINGS]; /* s */
} OverlapStudy;

/* Measure setting number `index`, with this chosen link and bucket size, on all ranks. The result
 * is dropped if another link or size was chosen meanwhile. Collective. */
void study_measure(OverlapStudy *s, Link link, double least, int index);
/* For how long an update waits, s, by exposed_seconds(): from its own layers' times once it is
 * measured, before that from those without an exchange. NaN: not yet known, or no exercise 4c. */
double study_predicted(const OverlapStudy *s, int index);
/* The share of an update that waits, 0 … 1: measured, or predicted. */
double study_share(const Measured *m);
double study_predicted_share(const OverlapStudy *s, int index);
/* With this link and bucket size from now on; what depends on them is forgotten. */
void study_choose(OverlapStudy *s, Link link, double least);

/* overlap_view.c: the figure, and the results as a table and a file. */
void overlap_draw(const void *study, Plot *plot);
void overlap_report(const void *study);
#endif
