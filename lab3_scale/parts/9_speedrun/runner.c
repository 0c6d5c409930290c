/* runner.c: see runner.h. */
#include "runner.h"
#include "check.h"
#include "epoch_order.h"
#include "optim.h"
#include "schedule.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>
#include <time.h>

enum {
    EVALUATED = 500, /* images per batch of an evaluation */
    WARM_UPDATES = 3,
    WARM_RECORDINGS =
        8 /* updates: each of the loader's batches comes twice, and is recorded then */
};

struct Runner {
    const Lab *lab;
    const Recipe *recipe; /* NULL: */
    const Plain *plain;
    bool processor; /* the clock counts this thread's processor time */
    int images, batch;
    Model *m;
    Loader *loader; /* of the training from this seed */
    Views *views;
    Tensor totals;
    int32_t *order, *next;  /* [images] of this epoch, and of the next */
    int epoch, left, drawn; /* batches left of this epoch; the epoch whose order is in `next` */
    double counted, began;  /* the clock; began < 0: it stands */
    double evaluation;      /* seconds of one, to end a plain training in time */
};

/* ---- the clock ---- */

static double seconds_now(const Runner *r)
{
    struct timespec t;
    if (!r->processor)
        return timer_now();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double clock_now(const Runner *r)
{
    return r->counted + (r->began < 0 ? 0 : seconds_now(r) - r->began);
}

static void clock_runs(Runner *r, bool on)
{
    r->m->be->op->stream_sync(r->m->s);
    r->counted = clock_now(r);
    r->began = on ? seconds_now(r) : -1;
}

/* Whether to continue; the clock stops meanwhile, also for a pause. */
static bool ask(Runner *r, GoesOn goes_on, const Outcome *so_far)
{
    double before = seconds_now(r);
    bool on = !goes_on.ask || goes_on.ask(goes_on.context, so_far);
    r->counted -= seconds_now(r) - before;
    return on;
}

/* ---- life ---- */

/* Images that the network has memory for. */
static int room_for(int batch) { return batch > EVALUATED ? batch : EVALUATED; }

void runner_check(const Lab *lab, const char *model, int batch)
{
    ModelSpec spec = model_spec_for(model, lab->data);
    model_check(lab->be, &spec, room_for(batch));
}

Runner *runner_new(const Lab *lab, const Recipe *recipe, const Plain *plain, bool processor)
{
    const Dataset *d = lab->data;
    Runner *r = alloc(1, sizeof *r);
    *r =
        (Runner){.lab = lab, .recipe = recipe, .plain = plain, .processor = processor, .began = -1};
    r->images = recipe ? recipe->images : plain->images;
    r->batch = recipe ? recipe->batch : plain->batch;
    ModelSpec spec = model_spec_for(recipe ? recipe->model : plain->model, lab->data);
    r->m = model_new(lab->be, &spec, room_for(r->batch));
    r->views = views_new(r->m, &d->test, recipe ? recipe->test : plain->test, d->mean, d->istd);
    r->totals = tensor_new(lab->be, F64, 2, 1, 1, 1, 0);
    r->order = alloc((size_t)r->images, sizeof *r->order);
    r->next = alloc((size_t)r->images, sizeof *r->next);
    return r;
}

void runner_free(Runner *r)
{
    if (!r)
        return;
    loader_free(r->loader);
    views_free(r->views);
    tensor_free(r->lab->be, r->totals);
    model_free(r->m);
    free(r->order), free(r->next);
    free(r);
}

/* ---- a training ---- */

/* The loader stays from run to run, and with it what is recorded on its batches. */
static void take_loader(Runner *r, uint64_t seed)
{
    const Dataset *d = r->lab->data;
    Images some = d->train; /* only the images used go to the device */
    some.count = r->images;
    AugmentSpec augment = r->recipe ? recipe_augment(r->recipe)
                                    : (AugmentSpec){.flip = true, .shift = 2};
    if (!r->loader)
        r->loader = loader_new(r->lab->be, &some, d->mean, d->istd, r->batch, model_halo(r->m),
                               augment, seed);
    loader_seed(r->loader, seed);
}

static void begin(Runner *r, uint64_t seed)
{
    take_loader(r, seed);
    r->epoch = r->drawn = -1;
    r->left = 0;
    r->counted = 0;
    r->began = -1;
    r->m->be->op->zero(r->m->s, r->totals);
}

/* The gradient of the next batch; an epoch's rest that fills none is left out. */
static void next_gradient(Runner *r, uint64_t seed)
{
    Batch b;
    if (r->left == 0) {
        int32_t *drawn = r->next;
        if (r->drawn != ++r->epoch)
            epoch_order(drawn, r->images, seed, r->epoch);
        r->next = r->order, r->order = drawn;
        r->left = r->images / r->batch;
        loader_start(r->loader, r->order, r->left * r->batch, r->epoch);
    }
    bool there = loader_next(r->loader, r->m->s, &b);
    ASSERT(there);
    model_gradient(r->m, r->totals, b.x, b.label);
    if (--r->left == r->images / r->batch / 2) /* while a GPU has work to do */
        epoch_order(r->next, r->images, seed, r->drawn = r->epoch + 1);
}

static void add_point(Runner *r, Outcome *out)
{
    ASSERT(out->points < CURVE_POINTS - 1);
    clock_runs(r, false);
    out->seconds[out->points] = clock_now(r);
    out->curve[out->points++] = views_accuracy(r->views, r->m, 0, 0);
    clock_runs(r, true);
}

static void finish(Runner *r, Outcome *out, int level, double unsure)
{
    double totals[2], before = clock_now(r);
    out->accuracy = views_accuracy(r->views, r->m, level, unsure);
    clock_runs(r, false);
    r->evaluation = clock_now(r) - before;
    out->total = out->seconds[out->points] = clock_now(r);
    out->curve[out->points++] = out->accuracy;
    out->once = level > 0 ? views_accuracy(r->views, r->m, 0, 0) : out->accuracy;
    r->m->be->op->download(r->m->s, totals, r->totals);
    out->finite = isfinite(totals[0]);
}

static bool run_recipe(Runner *r, Outcome *out, uint64_t seed, int most, GoesOn goes_on)
{
    const Recipe *recipe = r->recipe;
    double rate[RECIPE_GROUPS];
    int updates = recipe_updates(recipe), epoch = r->images / r->batch;
    updates = most && most < updates ? most : updates;
    begin(r, seed);
    Groups *g = recipe_groups(recipe, r->m);
    recipe_init(recipe, r->m, seed);
    clock_runs(r, true);
    recipe_whiten(recipe, r->m, r->lab->data);
    bool on = true;
    for (int i = 0; i < updates && on; i++) {
        next_gradient(r, seed);
        recipe_rates(rate, recipe, i);
        groups_step(r->m, g, rate);
        out->updates++;
        if ((i + 1) % epoch == 0 && i + 1 < updates)
            add_point(r, out);
        on = ask(r, goes_on, out);
    }
    finish(r, out, recipe->with[WITH_VIEWS] ? recipe->views : 0, recipe->unsure);
    groups_free(r->m, g);
    return on;
}

/* The learning rate is one cycle of the time, not of the updates: it ends when the time does. */
static bool run_plain(Runner *r, Outcome *out, uint64_t seed, double seconds, int most,
                      GoesOn goes_on)
{
    enum { CYCLE = 1000, POINTS = 8 };
    const Plain *p = r->plain;
    Schedule cycle = {.kind = SCHEDULE_ONECYCLE, .rate = p->rate, .steps = CYCLE};
    double last = fmax(seconds - r->evaluation, 1e-9), share;
    begin(r, seed);
    Sgd *sgd = sgd_new(r->m, p->momentum, p->decay, true);
    model_init(r->m, seed);
    clock_runs(r, true);
    bool on = true;
    while (on && (most ? out->updates < most : clock_now(r) < last)) {
        share = fmin(clock_now(r) / last, 1);
        next_gradient(r, seed);
        sgd_step(r->m, sgd, schedule_rate(&cycle, (int64_t)(share * (CYCLE - 1))));
        out->updates++;
        r->m->be->op->stream_sync(r->m->s);
        if (!most && clock_now(r) >= last * (out->points + 1) / POINTS && out->points < POINTS - 1)
            add_point(r, out);
        on = ask(r, goes_on, out);
    }
    finish(r, out, 0, 0);
    sgd_free(r->m, sgd);
    return on;
}

static bool run(Runner *r, Outcome *out, uint64_t seed, double seconds, int most, GoesOn goes_on)
{
    *out = (Outcome){0};
    return r->recipe ? run_recipe(r, out, seed, most, goes_on)
                     : run_plain(r, out, seed, seconds, most, goes_on);
}

void runner_warm_up(Runner *r)
{
    Outcome unused;
    int updates = r->m->be->op->record_begin ? WARM_RECORDINGS : WARM_UPDATES;
    run(r, &unused, 0, 0, updates, (GoesOn){NULL, NULL});
}

bool runner_run(Runner *r, Outcome *out, uint64_t seed, double seconds, GoesOn goes_on)
{
    return run(r, out, seed, seconds, 0, goes_on);
}
