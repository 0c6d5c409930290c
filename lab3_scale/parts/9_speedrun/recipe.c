/* recipe.c: see recipe.h. */
#include "recipe.h"
#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *ingredient_name(Ingredient i)
{
    static const char *const names[INGREDIENTS] = {
        [WITH_WHITENING] = "whitened start",
        [WITH_DIRAC] = "Dirac start",
        [WITH_MUON] = "Muon",
        [WITH_SMOOTHING] = "smoothed labels",
        [WITH_ALTERNATION] = "alternating flip",
        [WITH_REFLECTION] = "reflected edges",
        [WITH_FAST_BIASES] = "fast biases",
        [WITH_VIEWS] = "views at the test",
    };
    return names[i];
}

Recipe recipe_default(void)
{
    Recipe r = {.images = 8192,
                .test = 5000,
                .batch = 512,
                .epochs = 4,
                .muon_rate = 0.24,
                .muon_momentum = 0.6,
                .sgd_rate = 0.0015,
                .bias_rate = 0.053,
                .head_rate = 0.67,
                .momentum = 0.85,
                .decay = 2e-6,
                .smoothing = 0.2,
                .warm_bias = 3,
                .shift = 2,
                .patches = 2000,
                .views = 2,
                .unsure = 0.25,
                .newton_schulz = 3};
    for (int i = 0; i < INGREDIENTS; i++)
        r.with[i] = true;
    return r;
}

int recipe_updates(const Recipe *r)
{
    int updates = (int)ceil(r->epochs * (r->images / r->batch) - 1e-9);
    return updates < 1 ? 1 : updates;
}

AugmentSpec recipe_augment(const Recipe *r)
{
    return (AugmentSpec){.flip = true,
                         .shift = r->shift,
                         .alternate = r->with[WITH_ALTERNATION],
                         .reflect = r->with[WITH_REFLECTION]};
}

void recipe_init(const Recipe *r, Model *m, uint64_t seed)
{
    model_init(m, seed);
    if (r->with[WITH_DIRAC])
        start_dirac(m);
    start_unit_head(m);
    m->smoothing = r->with[WITH_SMOOTHING] ? (float)r->smoothing : 0;
}

void recipe_whiten(const Recipe *r, Model *m, const Dataset *d)
{
    if (r->with[WITH_WHITENING])
        start_whiten(m, &d->train, r->patches < r->images ? r->patches : r->images, d->mean,
                     d->istd, 5e-4);
}

enum { FIXED, FILTERS, WHITENING_BIAS, BIASES, HEAD };

static int group_of(const View *v)
{
    if (!strcmp(v->name, "whiten.bias"))
        return WHITENING_BIAS;
    if (v->dims == 1)
        return BIASES;
    if (v->dims == 2)
        return HEAD;
    return v->decay ? FILTERS : FIXED;
}

static double bias_rate(const Recipe *r)
{
    return r->with[WITH_FAST_BIASES] ? r->bias_rate : r->sgd_rate;
}

Groups *recipe_groups(const Recipe *r, Model *m)
{
    double filter_decay = r->decay / r->sgd_rate, bias_decay = r->decay / bias_rate(r);
    Group group[RECIPE_GROUPS] = {
        [FIXED] = {.kind = GROUP_FIXED},
        [FILTERS] = {GROUP_SGD, r->momentum, filter_decay},
        [WHITENING_BIAS] = {GROUP_SGD, r->momentum, bias_decay},
        [BIASES] = {GROUP_SGD, r->momentum, bias_decay},
        [HEAD] = {GROUP_SGD, r->momentum, r->decay / r->head_rate},
    };
    if (r->with[WITH_MUON])
        group[FILTERS] = (Group){GROUP_MUON, r->muon_momentum, 0};
    int *of = alloc((size_t)m->nviews, sizeof *of);
    for (int v = 0; v < m->nviews; v++)
        of[v] = group_of(&m->views[v]);
    Groups *g = groups_new(m, group, RECIPE_GROUPS, of, r->newton_schulz);
    free(of);
    return g;
}

void recipe_rates(double rate[RECIPE_GROUPS], const Recipe *r, int update)
{
    double left = 1 - (double)update / recipe_updates(r), sum = r->batch, /* the mean's */
        warm = r->warm_bias * (r->images / r->batch), bias = bias_rate(r) * sum;
    rate[FIXED] = 0;
    rate[FILTERS] = left * (r->with[WITH_MUON] ? r->muon_rate : r->sgd_rate * sum);
    rate[WHITENING_BIAS] = update < warm ? bias * (1 - update / warm) : 0;
    rate[BIASES] = left * bias;
    rate[HEAD] = left * r->head_rate * sum;
}
