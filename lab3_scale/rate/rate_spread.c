/* rate_spread.c: how the covariance of an update changes with the batch, by each rule: gradients of
 * many batches at the same weights, those of a short training. */
#include "check.h"
#include "epoch_order.h"
#include "rate_study.h"
#include <stdlib.h>

enum { SAMPLES = 32 };

/* Gradients of SAMPLES random batches, into grads [SAMPLES, D]. */
static void take_gradients(Training *t, float *grads, int batch, uint64_t seed)
{
    const TrainingSpec *s = t->spec;
    const Dataset *d = s->data;
    Images images = d->train;
    images.count = s->images;
    int32_t *order = alloc(s->images, sizeof *order);
    Loader *l = loader_new(s->be, &images, d->mean, d->istd, batch, model_halo(t->m),
                           (AugmentSpec){0}, seed);
    for (int i = 0; i < SAMPLES; i++) {
        Batch b;
        epoch_order(order, s->images, seed, i);
        loader_start(l, order, batch, i);
        bool there = loader_next(l, t->m->s, &b);
        ASSERT(there);
        model_gradient(t->m, t->totals, b.x, b.label);
        t->m->be->op->download(t->m->s, grads + (size_t)i * t->m->params.n, t->m->grads);
    }
    loader_free(l);
    free(order);
}

void rate_measure_spread(RateStudy *s)
{
    const Dataset *d = s->study.lab->data;
    PlainPace pace = {s->batch, s->rate, s->epochs};
    int largest = s->batch * s->k[RATE_KS - 1];
    TrainingSpec spec = {.be = s->study.lab->be,
                         .data = d,
                         .model = model_spec_for(s->model, d),
                         .images = s->images,
                         .test = s->test,
                         .batch = largest,
                         .epochs = 1,
                         .sgd = {s->momentum, 0, false},
                         .pace = training_plain,
                         .context = &pace};
    Training *t = training_new(&spec, s->seed);
    for (int i = 0; i < 50 && training_step(t); i++)
        ;
    int n = t->m->params.n;
    float *grads = alloc((size_t)SAMPLES * n, sizeof *grads);
    double one = 0;
    for (int k = 0; k < RATE_KS; k++) {
        take_gradients(t, grads, s->batch * s->k[k], s->seed + 1000);
        for (int rule = 0; rule < SCALE_RULES; rule++) {
            double rate = scaled_rate((ScaleRule)rule, s->rate, s->k[k]);
            double spread = update_spread(grads, SAMPLES, n, rate);
            one = k == 0 && rule == 0 ? spread : one;
            study_lock(&s->study, true);
            s->spread[k][rule] = spread / one;
            study_lock(&s->study, false);
        }
    }
    free(grads);
    training_free(t);
}
