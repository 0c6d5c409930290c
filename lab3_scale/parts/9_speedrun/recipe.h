/* recipe.h: how a speedrun trains, ingredient by ingredient, after airbench94_muon (Jordan, arXiv
 * 2404.00498 and github.com/KellerJordan/cifar10-airbench).
 *
 * Rates are those of a loss that is summed over the batch: times its size they are those of the
 * mean, which this course's gradients are of. All fall to 0 in a line.
 *
 * What differs: filters that are not Dirac's are drawn as this course's are, the whitening's bias
 * begins at 0, fewer images are whitened, and test images of which the network is sure are seen
 * once (views.h).
 */
#ifndef RECIPE_H
#define RECIPE_H
#include "first_weights.h"
#include "loader.h"
#include "muon.h"

/* What --ablate leaves out, one at a time. */
typedef enum {
    WITH_WHITENING, /* else the first filters are random, and as fixed */
    WITH_DIRAC,     /* else all others are random */
    WITH_MUON,      /* else SGD moves the filters */
    WITH_SMOOTHING,
    WITH_ALTERNATION, /* else each epoch's flips are drawn again */
    WITH_REFLECTION,  /* else grey moves in */
    WITH_FAST_BIASES, /* else at the rate that SGD has for filters */
    WITH_VIEWS,       /* else each test image is seen once */
    INGREDIENTS
} Ingredient;

typedef struct Recipe {
    bool with[INGREDIENTS];
    char model[32];
    int images, test, batch; /* of the training set; of the test set; of an update */
    double epochs;
    double muon_rate, muon_momentum;       /* of the filters, */
    double sgd_rate;                       /* without Muon */
    double bias_rate, head_rate, momentum; /* SGD's, of all else */
    double decay;                          /* of what SGD moves, per step of rate 1 */
    double smoothing;                      /* of the labels */
    double warm_bias;                      /* epochs in which whitening's bias is trained */
    int shift, patches;                    /* pixels; images whose patches are whitened */
    int views;                             /* 1: and mirrored; 2: and moved by a pixel */
    double unsure;                         /* the share of the test images that gets them */
    int newton_schulz;                     /* steps of it */
} Recipe;

Recipe recipe_default(void);
const char *ingredient_name(Ingredient i); /* "whitened start" */

int recipe_updates(const Recipe *r);
AugmentSpec recipe_augment(const Recipe *r);
/* The network's start: model_init and what the recipe has beside it; then the whitening. */
void recipe_init(const Recipe *r, Model *m, uint64_t seed);
void recipe_whiten(const Recipe *r, Model *m, const Dataset *d);
/* Its optimiser; and the rates of update number `update`, 0 … recipe_updates() - 1, as
 * groups_step() wants them. */
Groups *recipe_groups(const Recipe *r, Model *m);
enum { RECIPE_GROUPS = 5 };
void recipe_rates(double rate[RECIPE_GROUPS], const Recipe *r, int update);
#endif
