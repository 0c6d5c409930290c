/* local_study.h: part 8's experiment: one network trained by every method of local_method.h, with
 * several H, the updates between two exchanges; on shards that are drawn at random and on shards
 * split by class. All ranks train each network together.
 */
#ifndef LOCAL_STUDY_H
#define LOCAL_STUDY_H
#include "background_thread.h"
#include "lab.h"
#include "local_method.h"
#include "plot.h"

enum { STUDY_PERIODS = 4, STUDY_SEEDS = 10 };

typedef enum { SHARDS_RANDOM, SHARDS_BY_CLASS, SHARDS } Shards;

typedef struct LocalStudy {
    const char *model;
    int batch, updates, images, test, seeds; /* batch: per rank */
    double rate;                             /* of the inner SGD; decays as a cosine */
    LocalSpec spec;                          /* what all methods share */
    const Lab *lab;
    Commands commands;
    uint64_t seed;
    const char *missing;            /* an exercise that is still to do; NULL: none */
    BackgroundThread *thread, *own; /* rank 0's working thread, for the window's and for itself;
                                     * its lock guards what follows */
    int done;                       /* trainings */
    /* NAN: not trained yet. LOCAL_PLAIN has one period alone, the first. */
    double accuracy[SHARDS][LOCAL_KINDS][STUDY_PERIODS][STUDY_SEEDS];
    double bytes[LOCAL_KINDS][STUDY_PERIODS]; /* per rank and update, on the link */
} LocalStudy;

extern const int study_period[STUDY_PERIODS]; /* H */
extern const char *const local_names[LOCAL_KINDS], *const shards_names[SHARDS];

/* Checks the choices, and cuts images and test to what there is. */
void local_study_open(LocalStudy *s, const Lab *lab, uint64_t seed);
int local_study_trainings(const LocalStudy *s);
/* Rank 0: all trainings, as a background thread's work. The others: what rank 0 says. */
void local_study_work(void *s, BackgroundThread *b);
void local_study_follow(LocalStudy *s);

/* local_view.c: the figure, and the results as a table and a file. */
void local_draw(const LocalStudy *s, Plot *plot);
void local_report(const LocalStudy *s);
#endif
