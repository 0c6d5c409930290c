/* sgd_race.h: several batch sizes from the same start. How far has each come after the same number
 * of updates, of examples, of seconds?
 */
#ifndef SGD_RACE_H
#define SGD_RACE_H
#include "linear_view.h"
#include "sgd_survey.h"

enum { RACERS = 4, RACE_MAX = 4000 }; /* updates of a race */

typedef struct Racer {
    int batch;
    int count, epoch;     /* points of its path so far, epochs made: a whole epoch at a time,
                           * ahead of the race */
    double *w, *b, *loss; /* [RACE_MAX + points.n + 1]: each point of the path, and its loss
                           * over all examples */
    double *seen;         /* the same: examples used so far */
    double seconds;       /* of one update, measured */
    double floor;         /* theory */
    bool lost;            /* diverged: count - 1 is its last point */
} Racer;

typedef struct SgdRace {
    Points points;
    SgdNoise noise;
    uint64_t seed;
    SgdSampling sampling;
    double rate, start_w, start_b;
    Racer racer[RACERS];
    int tick, marked;    /* updates shown; the racer that keys change */
    int *order;          /* [points.n] */
    double *room;        /* [2 * points.n] */
    SgdSurvey survey;    /* floors at this rate, for batches from 1 to n, in all three samplings */
    const char *missing; /* the unfinished exercise: nothing moves then; NULL: none */
} SgdRace;

SgdRace sgd_race_new(int points, double noise, uint64_t seed, SgdSampling sampling, double rate,
                     double start_w, double start_b, const int batch[RACERS]);
void sgd_race_free(SgdRace *r);
void sgd_race_restart(SgdRace *r, double w, double b);
/* Each restarts the race and measures the floors again. */
void sgd_race_rate(SgdRace *r, double rate);
void sgd_race_sampling(SgdRace *r, SgdSampling sampling);
void sgd_race_noise(SgdRace *r, double noise);
void sgd_race_batch(SgdRace *r, int batch); /* of the marked racer, which catches up; clamped to
                                             * 1 … points.n */
void sgd_race_step(SgdRace *r);
void sgd_race_back(SgdRace *r);
int sgd_racer_at(const SgdRace *r, int k); /* where racer k is: an index into its path */

typedef struct SgdRaceView {
    LinearView map;
} SgdRaceView;
void sgd_race_draw(const SgdRace *r, SgdRaceView *v, Plot *plot, const char *phase);
enum { RACE_PANEL_CONTOURS = 0 }; /* a click picks the start */
#endif
