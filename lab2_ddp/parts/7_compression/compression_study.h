/* compression_study.h: part 7's experiment: each remedy trains the same network from several seeds,
 * on ranks that really exchange, over a link with a virtual clock.
 *
 * How accurate a network is after 100 updates does not depend on the link. So each training is made
 * once; what a rank computes and sends in each update is recorded, and how long that takes on any
 * other link follows (study_time.c). That this holds is shown by trainings that are really made on
 * those links.
 */
#ifndef COMPRESSION_STUDY_H
#define COMPRESSION_STUDY_H
#include "compressor.h"
#include "study.h"

enum {
    STUDY_LINKS = 4,
    STUDY_SEEDS = 9,
    STUDY_POINTS = 40,
    STUDY_REMEDIES = 24,
    PROOF_REMEDIES = 3
};
extern const double study_bandwidth[STUDY_LINKS]; /* bytes/s: 100 Mbit/s to 100 Gbit/s */

/* What an update takes on the slowest rank, and what it sends. */
typedef struct UpdateCost {
    double compute, compress, clock; /* s; clock: all of it, on the training's link */
    double sent;                     /* bytes of this rank */
    WireCall call[WIRE_CALLS];
    int calls;
} UpdateCost;

typedef struct Trained {
    bool done;
    double accuracy[STUDY_POINTS]; /* on test images after study.point[] updates */
} Trained;

/* A remedy: its trainings, and medians over all their updates. */
typedef struct RemedyResult {
    Trained trained[STUDY_SEEDS];
    double compute, compress; /* s per update */
    double sent;              /* bytes per update, a mean */
    int elements;             /* of the gradient */
    UpdateCost *cost;         /* [updates] of the first training; NULL: none yet */
} RemedyResult;

/* A few updates that were really made on a link of the table. */
typedef struct Proof {
    int remedy, link;
    double clock;   /* s per update, by the virtual clock */
    double derived; /* from what these updates computed, compressed and sent */
    double table;   /* as in the tables: from the trainings' medians. Computing is a little faster
                     * or slower each time, and so much is this one off */
} Proof;

typedef struct CompressionStudy {
    Study study;       /* first: study.h. Its lock guards what has been found */
    const char *model; /* mlp; of text gpt-D-L-H */
    const char *only;  /* remedies with this in their names; "": all. The first is always there */
    int batch, images, test, updates, seeds, hidden[2];
    double rate, momentum, latency, below; /* below: the target, under what `none` reaches */
    Link link;
    uint64_t seed;
    int remedies, remedy[STUDY_REMEDIES]; /* rows, as indices of remedy_specs */
    int points, point[STUDY_POINTS];      /* updates after which accuracy is measured */
    /* ---- found ---- */
    RemedyResult result[STUDY_REMEDIES]; /* by row */
    Proof proof[PROOF_REMEDIES * STUDY_LINKS];
    int proofs, done;   /* trainings */
    const char *parted; /* a remedy after whose training the ranks' weights were not the same */
} CompressionStudy;

/* Checks the choices, and cuts images and test to what there is. */
void compression_open(CompressionStudy *s, const Lab *lab, uint64_t seed);
void compression_free(CompressionStudy *s);
void compression_work(void *study);
const RemedySpec *study_spec(const CompressionStudy *s, int row);

/* ---- study_time.c: what follows from the records. NaN: not known yet. ---- */

/* Seconds of the first `updates` of a row on a link (part of an update: in proportion), if
 * computing takes as long for all remedies as for `none`. */
double study_seconds(const CompressionStudy *s, int row, double updates, Link link);
/* Updates until the accuracy of a training is first as high; INFINITY: never. */
double study_updates_to(const CompressionStudy *s, int row, int seed, double accuracy);
/* The accuracy that is to be reached: what `none` has at the end, less s->below. */
double study_target(const CompressionStudy *s);
/* The accuracy of a training after a given time on a link. */
double study_accuracy_at(const CompressionStudy *s, int row, int seed, double seconds, Link link);
/* The time at which accuracies are compared on a link: when the first remedy has made all its
 * updates. */
double study_equal_time(const CompressionStudy *s, Link link);
/* pays_below() of a training, bytes/s. */
double study_pays_below(const CompressionStudy *s, int row, int seed, double target);
/* Of v [n], those that are no NaN: lowest, median, highest. Returns how many. */
int study_spread(double at[3], const double *v, int n);

/* study_view.c: the figure, and the results as tables and a file. */
void compression_draw(const void *study, Plot *plot);
void compression_report(const void *study);
#endif
