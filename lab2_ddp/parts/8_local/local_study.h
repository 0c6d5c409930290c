/* local_study.h: part 8's experiment: one network trained by every method of local_method.h, with
 * several H, the updates between two exchanges; on shards that are drawn at random and on shards
 * split by class. All ranks train each network together.
 */
#ifndef LOCAL_STUDY_H
#define LOCAL_STUDY_H
#include "local_method.h"
#include "study.h"

enum { STUDY_PERIODS = 4, STUDY_SEEDS = 10 };

typedef enum { SHARDS_RANDOM, SHARDS_BY_CLASS, SHARDS } Shards;

typedef struct LocalStudy {
    Study study; /* first: study.h. Its lock guards what has been found */
    const char *model;
    int shards; /* kinds of them that are tried: of text random ones alone */
    int batch, updates, images, test, seeds; /* batch: per rank */
    double rate;                             /* of the inner SGD; decays as a cosine */
    LocalSpec spec;                          /* what all methods share */
    uint64_t seed;
    /* ---- found ---- */
    int done; /* trainings */
    /* NAN: not trained yet. LOCAL_PLAIN has one period alone, the first. */
    double accuracy[SHARDS][LOCAL_KINDS][STUDY_PERIODS][STUDY_SEEDS];
    double bytes[LOCAL_KINDS][STUDY_PERIODS]; /* per rank and update, on the link */
} LocalStudy;

extern const int study_period[STUDY_PERIODS]; /* H */
extern const char *const local_names[LOCAL_KINDS], *const shards_names[SHARDS];

/* Checks the choices. */
void local_open(void *study, const Lab *lab, uint64_t seed);
int local_trainings(const LocalStudy *s);
void local_work(void *study);

/* local_view.c: the figure, and the results as a table and a file. */
void local_draw(const void *study, Plot *plot);
void local_report(const void *study);
#endif
