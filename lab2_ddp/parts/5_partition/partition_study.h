/* partition_study.h: part 5's experiment: how much of the data the ranks see by four kinds of
 * partition, counted, beside the prediction; and whether the accuracy of a short training depends
 * on it.
 *
 * The `split` ranks of the experiment are simulated: with no batch norm their averaged gradients
 * are the gradient of their batches taken together, so one process trains on those. The processes
 * of the run take whole trainings each.
 */
#ifndef PARTITION_STUDY_H
#define PARTITION_STUDY_H
#include "guess.h"
#include "lab2.h"
#include "study.h"

enum { STUDY_SIZES = 7, STUDY_SEEDS = 20, STUDY_EPOCHS = TASK_VALUES };

typedef struct PartitionStudy {
    Study study; /* first: study.h. Its lock guards what has been found */
    const char *model;
    Guess guess; /* of the share that `split` ranks with own orders see in an epoch */
    int split, batch, images, test, epochs, seeds; /* batch: per simulated rank */
    double rate, momentum;
    uint64_t seed;
    /* ---- found ---- */
    int done;                                       /* trainings */
    double by_size[PARTITION_KINDS][STUDY_SIZES];   /* shares seen in an epoch by 1, 2, 4 … ranks;
                                                     * NaN: not counted yet, here and below */
    double by_epoch[PARTITION_KINDS][STUDY_EPOCHS]; /* by `split` ranks after 1, 2 … epochs */
    double accuracy[PARTITION_KINDS][STUDY_SEEDS][STUDY_EPOCHS]; /* after each epoch */
} PartitionStudy;

extern const char *const partition_kind_names[PARTITION_KINDS];

/* Checks the choices. */
void partition_open(void *study, const Lab *lab, uint64_t seed);
void partition_work(void *study); /* counts the shares, then trains */

/* partition_view.c: the figure, and the results as a table and a file. */
void partition_draw(const void *study, Plot *plot);
void partition_report(const void *study);
#endif
