/* rate_spread.c: how the covariance of an update changes with the batch, by each rule: gradients of
 * many batches at the same weights, those of a short training. */
#include "check.h"
#include "rate_study.h"
#include <stdlib.h>

enum { SAMPLES = 32 };

void rate_measure_spread(RateStudy *s)
{
    const Dataset *d = s->study.lab->data;
    PlainPace pace = {s->batch, s->rate, s->epochs, 0};
    int largest = s->batch * s->k[RATE_KS - 1];
    TrainingSpec spec = {.be = s->study.lab->be,
                         .data = d,
                         .model = model_spec_for(s->model, d),
                         .images = s->images,
                         .test = s->test,
                         .batch = largest,
                         .epochs = 1,
                         .sgd = {s->momentum, 0, false, 0},
                         .pace = training_plain,
                         .context = &pace};
    Training *t = training_new(&spec, s->seed);
    for (int i = 0; i < 50 && training_step(t); i++)
        ;
    int n = t->m->params.n;
    float *grads = alloc((size_t)SAMPLES * n, sizeof *grads);
    double one = 0;
    for (int k = 0; k < RATE_KS; k++) {
        training_gradients(t, grads, SAMPLES, s->batch * s->k[k], s->seed + 1000);
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
