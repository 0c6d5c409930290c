/* noise.c: see noise.h. */
#include "noise.h"
#include "check.h"
#include "lab3.h"
#include <stdlib.h>

typedef struct Noise {
    const NoiseSpec *spec;
    Tensor weight; /* one per label of a batch: of text [m->batch, T] */
    float *z;      /* the same on the host; first one per image */
    int64_t updates;
} Noise;

/* model_gradient() with a weight on each image. */
static void run(void *context, Model *m, Tensor totals, const Batch *b)
{
    Noise *noise = context;
    Rng r = rng_at(noise->spec->seed, RNG_NOISE, 0, (uint64_t)noise->updates++);
    int small = noise->spec->small < b->n ? noise->spec->small : b->n;
    int labels = model_positions(m); /* of an image */
    noise_weights(noise->z, b->n, small, &r);
    for (int i = b->n * labels - 1; i >= 0; i--)
        noise->z[i] = noise->z[i / labels];
    Tensor weight = tensor_first(noise->weight, b->n * labels);
    m->be->op->upload(m->s, weight, noise->z);
    model_zero_grads(m);
    model_forward(m, b->x, MODEL_TRAIN);
    model_loss(m, totals, b->label, weight, true);
    model_backward(m);
}

static Method make(void *context, Model *m)
{
    const NoiseSpec *spec = context;
    Noise *noise = alloc(1, sizeof *noise);
    int labels = m->batch * model_positions(m);
    *noise = (Noise){.spec = spec, .z = alloc(labels, sizeof(float))};
    noise->weight = tensor_new(m->be, F32, labels, 1, 1, 1, 0);
    const SgdSpec *sgd = &spec->sgd;
    return (
        Method){.gradient = {run, noise},
                .update = sgd_update(sgd_new(m, sgd->momentum, sgd->weight_decay, sgd->nesterov))};
}

static void end(void *context, Model *m, const Method *method)
{
    Noise *noise = method->gradient.context;
    tensor_free(m->be, noise->weight);
    free(noise->z);
    free(noise);
    sgd_free(m, method->update.context);
}

MethodMaker noise_maker(NoiseSpec *spec) { return (MethodMaker){make, end, spec}; }
