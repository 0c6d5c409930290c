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

static int measured(int count) { return count < MEASURED ? count : MEASURED; }

/* Of the batches that go through the network: a batch, or its pieces. */
static int piece_of(const TrainingSpec *s, int batch)
{
    return s->micro && s->micro < batch ? s->micro : batch;
}

static Loader *loader_of(const Training *t, const Images *all, int count, int batch)
{
    const Dataset *d = t->spec->data;
    Images images = *all; /* only the images used go to the device */
    images.count = count;
    return loader_new(t->spec->be, &images, d->mean, d->istd, batch, model_halo(t->m),
                      (AugmentSpec){0}, t->seed);
}

Training *training_new(const TrainingSpec *s, uint64_t seed)
{
    ASSERT(s->batch >= 1 && s->batch <= s->images && s->images <= s->data->train.count);
    Training *t = alloc(1, sizeof *t);
    *t = (Training){.spec = s, .sgd = s->sgd, .seed = seed, .epoch = -1};
    int piece = piece_of(s, s->batch), set = measured(s->images > s->test ? s->images : s->test);
    t->m = s->own ? s->own : model_new(s->be, &s->model, piece > set ? piece : set);
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
    loader_free(t->test);
    loader_free(t->loader);
    tensor_free(t->spec->be, t->totals);
    if (method.end)
        method.end(method.context, t->m, &t->method);
    if (!t->spec->own)
        model_free(t->m);
    free(t->order);
    free(t);
}

/* The loader stands at image `at` of the epoch, with batches of `batch` images, or their pieces. */
static void prepare(Training *t, int batch)
{
    const TrainingSpec *s = t->spec;
    bool fresh = t->at + batch > t->end;
    int piece = piece_of(s, batch);
    if (fresh) {
        t->epoch++;
        t->end = s->images;
        if (s->lay_out)
            t->end = s->lay_out(s->images_of, t->order, t->seed, t->epoch);
        else
            epoch_order(t->order, s->images, t->seed, t->epoch);
        t->at = 0;
        REQUIRE(t->end >= batch, "an epoch of %d images is less than a batch of %d", t->end, batch);
    }
    if (piece != t->loader_batch) {
        loader_free(t->loader);
        t->loader = loader_of(t, &s->data->train, s->images, piece);
        t->loader_batch = piece;
        fresh = true;
    }
    if (fresh)
        loader_start(t->loader, t->order + t->at, (t->end - t->at) / batch * batch, t->epoch);
}

static bool begin_update(Training *t)
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
    t->last = p;
    t->at += p.batch;
    if (t->at + p.batch > t->end)
        t->at = t->end;
    t->seen = t->epoch + (double)t->at / t->end;
    t->updates++;
    t->images += p.batch;
    return true;
}

static void next_piece(Training *t, Batch *b)
{
    bool there = loader_next(t->loader, t->m->s, b);
    ASSERT(there);
}

/* The pieces' gradients add up; their mean is the batch's. */
static void accumulate(Training *t, int pieces)
{
    Batch b;
    ASSERT(!t->method.gradient.run);
    model_zero_grads(t->m);
    for (int i = 0; i < pieces; i++) {
        next_piece(t, &b);
        model_forward(t->m, b.x, MODEL_TRAIN);
        model_loss(t->m, t->totals, b.label, NO_TENSOR, true);
        model_backward(t->m);
    }
    t->m->be->op->scale(t->m->s, t->m->grads, 1.0f / (float)pieces);
    t->method.update.run(t->method.update.context, t->m, t->last.rate);
}

bool training_step(Training *t)
{
    if (!begin_update(t))
        return false;
    int piece = piece_of(t->spec, t->last.batch);
    if (piece < t->last.batch) {
        ASSERT(t->last.batch % piece == 0);
        accumulate(t, t->last.batch / piece);
        return true;
    }
    Batch b;
    next_piece(t, &b);
    method_step(&t->method, t->m, t->totals, &b, t->last.rate, NULL);
    return true;
}

bool training_next(Training *t, Batch *b)
{
    ASSERT(!t->spec->micro);
    if (!begin_update(t))
        return false;
    next_piece(t, b);
    return true;
}

double training_loss(Training *t)
{
    double totals[2], mean;
    t->m->be->op->download(t->m->s, totals, t->totals);
    mean = t->images > 0 ? (totals[0] - t->loss) / (t->images * model_positions(t->m)) : NAN;
    t->loss = totals[0];
    t->images = 0;
    return mean;
}

Metrics training_test_of(Training *t, const int32_t *image, int count)
{
    const TrainingSpec *s = t->spec;
    if (!t->test)
        t->test = loader_of(t, &s->data->test, s->test, measured(s->test));
    return evaluate(t->m, t->test, image, count);
}

Metrics training_test(Training *t) { return training_test_of(t, NULL, t->spec->test); }

Metrics training_train(Training *t)
{
    int count = t->spec->images;
    Loader *l = loader_of(t, &t->spec->data->train, count, measured(count));
    Metrics m = evaluate(t->m, l, NULL, count);
    loader_free(l);
    return m;
}

void training_gradients(Training *t, float *grads, int count, int batch, uint64_t seed)
{
    const TrainingSpec *s = t->spec;
    int32_t *order = alloc(s->images, sizeof *order);
    Loader *l = loader_of(t, &s->data->train, s->images, batch);
    for (int i = 0; i < count; i++) {
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

double training_error(const TrainingSpec *s, Metrics m)
{
    if (images_of_text(&s->data->train)) {
        double guessed = log(s->data->classes);
        return metrics_loss(m) < guessed ? metrics_loss(m) : guessed; /* also where it is NaN */
    }
    return isfinite(metrics_loss(m)) ? 1 - metrics_accuracy(m) : 1 - 1.0 / s->data->classes;
}

double training_cosine(double rate, double share) { return rate * (1 + cos(M_PI * share)) / 2; }

Pace training_plain(const void *pace, double seen, int64_t update)
{
    const PlainPace *p = pace;
    if (update < p->warm)
        return (Pace){p->batch, p->rate * (double)(update + 1) / (p->warm + 1)};
    return (Pace){p->batch, training_cosine(p->rate, seen / p->epochs)};
}
