/* sgd_walk.h: stochastic gradient descent with batch size 1, step by step: where it was, which
 * example pulled it there. It can be stepped, taken back, and changed while it runs.
 */
#ifndef SGD_WALK_H
#define SGD_WALK_H
#include "linear_view.h"
#include "sgd_survey.h"

enum { WALK_MAX = 20000 }; /* updates that are remembered */

typedef struct SgdWalk {
    Points points;
    SgdNoise noise; /* with the loss over all points, noise.all */
    uint64_t seed;
    SgdSampling sampling;
    double rate, start_w, start_b;
    int count;            /* places visited; count - 1 updates were made */
    double *w, *b, *loss; /* [WALK_MAX + 1]: each place, and the loss over all points there */
    double *own;          /* [WALK_MAX]: before update t, the loss on its own example */
    bool lost;            /* diverged */
    int *order, ordered;  /* [points.n] examples of the epoch `ordered`; -1: none yet */
    SgdSurvey survey;     /* noise floors over rates, shuffled and drawn */
    char *missing;        /* which exercise is to do, NULL: none. Then nothing moves */
} SgdWalk;

SgdWalk sgd_walk_new(int points, double noise, uint64_t seed, SgdSampling sampling, double rate,
                     double start_w, double start_b);
void sgd_walk_free(SgdWalk *s);
void sgd_walk_restart(SgdWalk *s, double w, double b);
void sgd_walk_noise(SgdWalk *s, double noise); /* the same points with another noise; starts
                                                * again, measures again */
void sgd_walk_sampling(SgdWalk *s, SgdSampling sampling); /* another way to choose the examples
                                                           * from here on */
void sgd_walk_step(SgdWalk *s);
void sgd_walk_back(SgdWalk *s);
int sgd_walk_example(SgdWalk *s, int t); /* the example of update t */

/* both surfaces are over the same rectangle */
typedef struct SgdWalkView {
    LinearView map;
} SgdWalkView;
void sgd_walk_draw(SgdWalk *s, SgdWalkView *v, Plot *plot, const char *state);
enum { WALK_PANEL_ONE = 1, WALK_PANEL_ALL = 2 }; /* a click on either picks the start */
#endif
