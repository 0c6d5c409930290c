/* sgd_walk.h: stochastic gradient descent with batch size 1: its path, and the example of each
 * update. Step it, step back, change it while it runs.
 */
#ifndef SGD_WALK_H
#define SGD_WALK_H
#include "linear_view.h"
#include "sgd_survey.h"

enum { WALK_MAX = 20000 }; /* updates that are kept */

typedef struct SgdWalk {
    Points points;
    SgdNoise noise; /* with the loss over all points, noise.all */
    uint64_t seed;
    SgdSampling sampling;
    double rate, start_w, start_b;
    int count;            /* points visited: count - 1 updates were made */
    double *w, *b, *loss; /* [WALK_MAX + 1]: each point of the path, and its loss over all
                           * examples */
    double *own;          /* [WALK_MAX]: before update t, the loss on its own example */
    bool lost;            /* diverged */
    int *order, ordered;  /* [points.n] examples of the epoch `ordered`; -1: none yet */
    SgdSurvey survey;     /* noise floors by rate, shuffled and with replacement */
    const char *missing;  /* the unfinished exercise: nothing moves then; NULL: none */
} SgdWalk;

SgdWalk sgd_walk_new(int points, double noise, uint64_t seed, SgdSampling sampling, double rate,
                     double start_w, double start_b);
void sgd_walk_free(SgdWalk *s);
void sgd_walk_restart(SgdWalk *s, double w, double b);
void sgd_walk_noise(SgdWalk *s, double noise); /* the same points with another noise; restarts */
void sgd_walk_sampling(SgdWalk *s, SgdSampling sampling); /* from the next update on */
void sgd_walk_step(SgdWalk *s);
void sgd_walk_back(SgdWalk *s);
int sgd_walk_example(SgdWalk *s, int t); /* the example of update t */

/* Both maps show the same rectangle. */
typedef struct SgdWalkView {
    LinearView map;
} SgdWalkView;
void sgd_walk_draw(SgdWalk *s, SgdWalkView *v, Plot *plot, const char *phase);
enum { WALK_PANEL_ONE = 1, WALK_PANEL_ALL = 2 }; /* a click on either picks the start */
#endif
