/* tuned.h: trainings whose learning rate is searched for, with one budget for all: parts 1 and 7.
 *
 * An entry is a way to train (a batch size; a remedy). First each entry's rate is tuned, with
 * `budget` trainings, by a stated search around a prediction:
 *
 *     3 trainings at the prediction, a quarter of it and four times it; then 2 at half and twice
 *     the best so far; then at 1/sqrt 2 and sqrt 2 times the best; and so on, nearer and nearer
 *
 * Then it is trained with that rate from `seeds` other seeds. What the search sees is held out of
 * the training images (tuned_held_out()), never the test images. Finished trainings are kept in
 * tries.csv and sweep.csv; ranks share them.
 */
#ifndef TUNED_H
#define TUNED_H
#include "quantiles.h"
#include "study.h"
#include "sweep.h"

enum { TUNED_ENTRIES = 64, TUNED_SEEDS = 100, TUNED_BUDGET = 15, TUNED_RATE = 0 };

typedef struct Tuned {
    Study study; /* first: study.h */
    int entries, budget, seeds;
    int64_t seed;                  /* the first */
    double setting[TUNED_ENTRIES]; /* an entry's number in the files */
    double predicted[TUNED_ENTRIES];
    bool out[TUNED_ENTRIES]; /* not trained */
    /* What the entry's rate follows from the tuned rate of entry 0; NULL: all are tuned. NaN: tune
     * it. */
    double (*rule)(const struct Tuned *t, int entry);
    const char *columns;      /* of a training's values, after "rate": "steps,seconds" */
    const SweepRange *ranges; /* of the setting, the rate, the values; NULL: any */
    int values;               /* how many, the rate included; value[TUNED_RATE] is filled in */
    /* Any rank; false: stopped. */
    bool (*train)(struct Tuned *t, int entry, bool tuning, double rate, uint64_t seed,
                  double *value, TaskFarmRun *farm);
    double (*score)(const double *value); /* of a try: the higher the better */
    const char *recorded;                 /* a folder whose trainings are taken; NULL: train */
    /* found */
    double rate[TUNED_ENTRIES]; /* NaN: not yet */
    int done, total, round;     /* runs; round: trainings in this one */
    Sweep *tries, *runs;        /* rank 0 */
    struct TunedItem *item;
} Tuned;

/* The images [from, from + count) of the training set as the test set: for tuning. */
Dataset tuned_held_out(const Dataset *d, int from, int count);

/* Rank 0 opens its files. setting_name: "batch". */
void tuned_open(Tuned *t, const Lab *lab, const char *setting_name, const json_t *config);
/* The work of a Study. True: all is done. Collective. */
bool tuned_work(Tuned *t);
/* Rank 0, before its report: is all done? If not, it says that the same command resumes; what a
 * signal stopped ends there with 130. */
bool tuned_complete(const Tuned *t);
void tuned_free(Tuned *t);
/* Over the seeds; value 1 … values - 1. NaN and 0 where none is trained yet. */
Spread tuned_spread(const Tuned *t, int entry, int value);
int tuned_values_of(const Tuned *t, int entry, int value, double out[TUNED_SEEDS]);
#endif
