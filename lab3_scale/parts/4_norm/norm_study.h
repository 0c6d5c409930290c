/* norm_study.h: part 4's experiments: what a layer's inputs do over a training with and without
 * batch norm; test errors at several learning rates; ghost batch norm in a large batch; and batch
 * norm synchronised over the ranks of the run, against one rank with all the images.
 */
#ifndef NORM_STUDY_H
#define NORM_STUDY_H
#include "study.h"
#include "training.h"

enum {
    NORM_SEEDS = 20,
    NORM_RATES = 3,
    NORM_GHOSTS = 3,
    NORM_LOOKS = 24 /* of the percentiles, over a training */
};

typedef struct NormStudy {
    Study study; /* first: study.h */
    const char *model, *layer;
    int batch, large, images, test, seeds;
    int ghost[NORM_GHOSTS]; /* images per group, in the large batch; the last one: all */
    double epochs, momentum, rate[NORM_RATES];
    uint64_t seed;
    int done;
    double inputs[2][NORM_LOOKS][3]; /* percentiles 15, 50, 85 of the layer's inputs: without, with
                                      * batch norm; NaN: not known yet, here and below */
    double error[2][NORM_RATES][NORM_SEEDS], ghost_error[NORM_GHOSTS][NORM_SEEDS];
    /* Distance of this run's ranks from one rank, by weights, against their length: each rank for
     * itself, synchronised; after 1 and 5 updates. */
    double apart[2][2];
    double own_norm; /* largest difference of ghost_norm (4a) from the network's own */
} NormStudy;

void norm_open(void *study, const Lab *lab, uint64_t seed); /* checks the choices */
void norm_work(void *study);
TrainingSpec norm_spec(const NormStudy *s, const PlainPace *pace, bool norm, int ghost);

/* norm_inputs.c: the percentiles of one training's layer, into at [NORM_LOOKS][3]. False: stopped
 * */
bool norm_watch(NormStudy *s, bool norm, double (*at)[3]);
/* norm_ranks.c: fills in s->apart. Collective */
void norm_compare_ranks(NormStudy *s);
/* norm_view.c */
void norm_draw(const void *study, Plot *plot);
void norm_report(const void *study);
#endif
