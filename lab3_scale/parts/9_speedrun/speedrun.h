/* speedrun.h: part 9's experiment: the recipe's trainings, a plain one's in the same seconds, and
 * the recipe without each of its ingredients. */
#ifndef SPEEDRUN_H
#define SPEEDRUN_H
#include "runner.h"
#include "study.h"

enum { SPEEDRUN_RUNS = 400, SPEEDRUN_RACERS = 2 + INGREDIENTS };

/* All trainings of one kind. */
typedef struct Racer {
    bool wanted;
    const char *name; /* "the recipe"; "plain"; what is left out */
    Recipe recipe;    /* of all but the plain one */
    int done;
    Outcome *run; /* [runs]; behind those that are done the curve of the one that is trained */
} Racer;

/* Racer 0 is the recipe, 1 the plain training, 2 + i the recipe without ingredient i. */
enum { THE_RECIPE, THE_PLAIN, WITHOUT };

typedef struct Speedrun {
    Study study;
    Recipe recipe;
    Plain plain;
    const char *activation;
    int width, runs;
    double target; /* accuracy */
    bool compare, ablate, processor;
    uint64_t seed;
    Racer racer[SPEEDRUN_RACERS];
    int now; /* the racer that is trained */
} Speedrun;

/* After lab_data(): checks the options against the data and each other (exit 2), and takes
 * memory. */
void speedrun_open(void *study, const Lab *lab, uint64_t seed);
void speedrun_free(void *study);
void speedrun_work(void *study);
/* How many trainings there are, and how many are done. */
int speedrun_trainings(const Speedrun *s, int *done);

/* Of a racer's trainings so far. deviation: with n - 1; NAN of one. */
typedef struct Summary {
    int count, finite;
    double mean, deviation, low, high, once, seconds;
} Summary;
Summary speedrun_summary(const Racer *r);
/* By how much racer i's mean is above the recipe's, NAN before a training of both is done; and the
 * standard error of that difference, NAN before two are. */
double speedrun_change(const Speedrun *s, int i, double *error);

/* speedrun_view.c */
void speedrun_draw(const void *study, Plot *plot);
void speedrun_report(const void *study);
#endif
