/* training.c: see training.h. */
#include "training.h"
#include "check.h"
#include "epoch_order.h"
#include <math.h>
#include <stdlib.h>

enum { MEASURED = 250 }; /* images per batch of a measurement */

static MethodMaker maker(Training *t)
{
    return t->spec->method.make ? t->spec->method : sgd_maker(&t->sgd);
}

static Images first_of(const Images *all, int count)
{
    Images some = *all; /* only the images used go to the device */
    some.count = count;
    return some;
}

static Loader *loader_of(const Training *t, const Images *all, int count, int batch)
{
    const Dataset *d = t->spec->data;
    Images images = first_of(all, count);
    return loader_new(t->spec->be, &images, d->mean, d->istd, batch, model_halo(t->m),
                      (AugmentSpec){0}, t->seed);
}

Training *training_new(const TrainingSpec *s, uint64_t seed)
{
    ASSERT(s->batch >= 1 && s->batch <= s->images && s->images <= s->data->train.count);
    Training *t = alloc(1, sizeof *t);
    *t = (Training){.spec = s, .sgd = s->sgd, .seed = seed, .epoch = -1, .at = s->images};
    t->m = model_new(s->be, &s->model, s->batch > MEASURED ? s->batch : MEASURED);
    model_init(t->m, seed);
    MethodMaker method = maker(t);
    t->method = method.make(method.context, t->m);
    t->totals = tensor_new(s->be, F64, 2, 1, 1, 1, 0);
    t->order = alloc(s->images, sizeof *t->order);
    return t;
}

void training_free(Training *t)
{
    if (!t)
        return;
    MethodMaker method = maker(t);
    loader_free(t->loader);
    tensor_free(t->spec->be, t->totals);
    if (method.end)
        method.end(method.context, t->m, &t->method);
    model_free(t->m);
    free(t->order);
    free(t);
}

/* The loader stands at image `at` of the epoch, with batches of `batch` images. */
static void prepare(Training *t, int batch)
{
    const TrainingSpec *s = t->spec;
    bool fresh = t->at + batch > s->images;
    if (fresh) {
        epoch_order(t->order, s->images, t->seed, ++t->epoch);
        t->at = 0;
    }
    if (batch != t->loader_batch) {
        loader_free(t->loader);
        t->loader = loader_of(t, &s->data->train, s->images, batch);
        t->loader_batch = batch;
        fresh = true;
    }
    if (fresh)
        loader_start(t->loader, t->order + t->at, (s->images - t->at) / batch * batch, t->epoch);
}

bool training_step(Training *t)
{
    const TrainingSpec *s = t->spec;
    if (t->seen >= s->epochs - 1e-9)
        return false;
    Pace p = s->pace(s->context, t->seen, t->updates);
    REQUIRE(p.batch >= 1 && p.batch <= s->batch && isfinite(p.rate),
            "update %lld: a batch of %d images at the rate %g: expected 1 to %d images, and a "
            "number",
            (long long)t->updates, p.batch, p.rate, s->batch);
    prepare(t, p.batch);
    Batch b;
    bool there = loader_next(t->loader, t->m->s, &b);
    ASSERT(there);
    method_step(&t->method, t->m, t->totals, &b, p.rate, NULL);
    t->at += p.batch;
    if (t->at + p.batch > s->images)
        t->at = s->images;
    t->seen = t->epoch + (double)t->at / s->images;
    t->updates++;
    t->images += p.batch;
    t->last = p;
    return true;
}

double training_loss(Training *t)
{
    double totals[2], mean;
    t->m->be->op->download(t->m->s, totals, t->totals);
    mean = t->images > 0 ? (totals[0] - t->loss) / t->images : NAN;
    t->loss = totals[0];
    t->images = 0;
    return mean;
}

static Metrics measure(Training *t, const Images *all, int count)
{
    Loader *l = loader_of(t, all, count, count < MEASURED ? count : MEASURED);
    Metrics m = evaluate(t->m, l, NULL, count);
    loader_free(l);
    return m;
}

Metrics training_test(Training *t) { return measure(t, &t->spec->data->test, t->spec->test); }
Metrics training_train(Training *t) { return measure(t, &t->spec->data->train, t->spec->images); }

double training_error(const TrainingSpec *s, Metrics m)
{
    return isfinite(metrics_loss(m)) ? 1 - metrics_accuracy(m) : 1 - 1.0 / s->data->classes;
}

double training_cosine(double rate, double share) { return rate * (1 + cos(M_PI * share)) / 2; }

Pace training_plain(const void *pace, double seen, int64_t update)
{
    const PlainPace *p = pace;
    return (Pace){p->batch, training_cosine(p->rate, seen / p->epochs)};
}
