/* live.c: training in slices, and its trail: see live.h. */
#include "live.h"
#include "check.h"
#include "memory.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void curve_add(Curve *c, double x, double y)
{
    if (c->each == 0)
        c->each = 1;
    c->sum_x += x;
    c->sum_y += y;
    if (++c->waiting < c->each)
        return;
    if (c->count == CURVE_POINTS) {
        for (int i = 0; i < CURVE_POINTS / 2; i++) {
            c->x[i] = (c->x[2 * i] + c->x[2 * i + 1]) / 2;
            c->y[i] = (c->y[2 * i] + c->y[2 * i + 1]) / 2;
        }
        c->count = CURVE_POINTS / 2;
        c->each *= 2;
        if (c->waiting < c->each)
            return;
    }
    c->x[c->count] = c->sum_x / c->waiting;
    c->y[c->count++] = c->sum_y / c->waiting;
    c->sum_x = c->sum_y = c->waiting = 0;
}

/* ---- the network ---- */

static EvalSet *first_of(const LiveSetup *s, const Images *images, int halo)
{
    return eval_set_new(s->be, images, s->data->mean, s->data->istd, NULL, s->measured, 512, halo);
}

Live *live_new(const LiveSetup *setup, LiveWish wish)
{
    Live *l = alloc(1, sizeof *l);
    const Dataset *d = setup->data;
    Backend *be = setup->be;
    l->setup = *setup;
    l->wish = wish;
    l->run.m = model_new(be, &setup->spec, LIVE_LARGEST_BATCH);
    l->probe = model_new(be, &setup->spec, 512);
    int D = l->run.m->params.n;
    memory_require((LIVE_SNAPSHOTS + 1.0) * D * sizeof(float), "the path of so large a network",
                   "choose a smaller --model");
    l->ground_set = first_of(setup, &d->train, model_halo(l->run.m));
    l->held_set = first_of(setup, &d->test, model_halo(l->run.m));
    for (int k = 0; k < LIVE_SNAPSHOTS; k++)
        l->trail.w[k] = alloc(D, sizeof(float));
    l->trail.now = alloc(D, sizeof(float));
    l->trail.sound = alloc(D, sizeof(float));
    return l;
}

static void runner_free(Runner *r)
{
    training_free(r->training);
    model_free(r->m);
}

void live_free(Live *l)
{
    for (int k = 0; k < LIVE_SNAPSHOTS; k++)
        free(l->trail.w[k]);
    free(l->trail.now);
    free(l->trail.sound);
    ground_free(&l->shown);
    ground_free(&l->coming);
    eval_set_free(l->ground_set);
    eval_set_free(l->held_set);
    runner_free(&l->run);
    runner_free(&l->other);
    model_free(l->probe);
    free(l->steepest);
    free(l);
}

/* The loss of weights w [D] on a subset, with the statistics of its batches. */
static Metrics measure(Live *l, const float *w, const EvalSet *set)
{
    l->probe->be->op->upload(l->probe->s, l->probe->params, w);
    return eval_set_metrics(l->probe, set, MODEL_FROZEN_STATS);
}

/* ---- the trail ---- */

static void trail_begin(Live *l)
{
    Trail *t = &l->trail;
    l->run.m->be->op->download(l->run.m->s, t->now, l->run.m->params);
    memcpy(t->w[0], t->now, l->run.m->params.n * sizeof(float));
    t->count = t->every = 1;
    memcpy(t->sound, t->now, l->run.m->params.n * sizeof(float));
    t->sound_count = 1;
    t->updates = 0;
}

static void trail_add(Live *l)
{
    Trail *t = &l->trail;
    if (++t->updates % t->every)
        return;
    if (t->count == LIVE_SNAPSHOTS) {
        for (int k = 0; k < LIVE_SNAPSHOTS / 2; k++) {
            float *keep = t->w[2 * k];
            t->w[2 * k] = t->w[k];
            t->w[k] = keep;
        }
        t->count = LIVE_SNAPSHOTS / 2;
        t->sound_count = (t->sound_count + 1) / 2;
        t->every *= 2;
        if (t->updates % t->every)
            return;
    }
    memcpy(t->w[t->count++], t->now, l->run.m->params.n * sizeof(float));
}

/* ---- updates ---- */

static Pace next_pace(const void *pace, double seen, int64_t update) { return *(const Pace *)pace; }

/* At the weights w [D], NULL: the initial ones, with the optimiser's memory empty. */
static void runner_begin(const LiveSetup *s, Runner *r, const float *w)
{
    training_free(r->training);
    r->spec = (TrainingSpec){.be = s->be,
                             .data = s->data,
                             .own = r->m,
                             .images = s->images,
                             .batch = s->images < LIVE_LARGEST_BATCH ? s->images
                                                                     : LIVE_LARGEST_BATCH,
                             .epochs = INFINITY,
                             .pace = next_pace,
                             .context = &r->pace};
    r->training = training_new(&r->spec, s->seed);
    if (w)
        r->m->be->op->upload(r->m->s, r->m->params, w);
}

/* The second network begins where the first one is. */
static void other_begin(Live *l)
{
    if (!l->other.m)
        l->other.m = model_new(l->setup.be, &l->setup.spec, LIVE_LARGEST_BATCH);
    runner_begin(&l->setup, &l->other, l->trail.now);
    l->other_every = 1;
    l->other_updates = 0;
}

/* From the weights w [D] on, NULL: the initial ones, with the settings as they are now. The last
 * run's curve stays for comparison, and the surface too, where a plane is held. */
static void restart(Live *l, const float *w, bool hold, bool duel)
{
    hold = hold && l->shown.laid;
    runner_begin(&l->setup, &l->run, w);
    trail_begin(l);
    if (duel)
        other_begin(l);
    double start_loss = metrics_loss(measure(l, l->trail.now, l->ground_set));
    background_lock(l->thread);
    LiveSeen *s = &l->seen, last = *s;
    Curve before = last.held.count > 1 ? last.held : last.before;
    if (!hold)
        *s = (LiveSeen){.before = before, .start_loss = start_loss};
    s->batch = s->held = s->sharpness = s->limit = (Curve){0};
    s->before = before;
    s->loss = s->held_loss = s->other_loss = NAN;
    s->update = s->path_points = s->other_points = 0;
    s->diverged = false;
    l->wish.restart = l->wish.place = false;
    l->changes++;
    background_unlock(l->thread);
    if (hold) {
        ground_replay(l);
        ground_path(l);
    } else
        ground_forget(l);
}

/* One update. Returns the batch's loss before it. */
static double update(Runner *r, int batch, double rate, double momentum)
{
    Training *t = r->training;
    Sgd *sgd = t->method.update.context;
    Batch b;
    r->pace = (Pace){batch < r->spec.batch ? batch : r->spec.batch, rate};
    sgd->momentum = momentum;
    training_next(t, &b);
    model_gradient(t->m, t->totals, b.x, b.label);
    sgd_step(t->m, sgd, rate);
    return training_loss(t);
}

static double length(const float *w, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)w[i] * w[i];
    return sqrt(sum);
}

/* An update, its losses, and a step of the trail. Weights that diverged leave no trail. */
static void train(Live *l, const LiveWish *wish, double images_per_s)
{
    enum { MEASURE_EVERY = 4, SOUND = 3 };
    int n = l->run.m->params.n;
    float *w = alloc(n, sizeof *w);
    double loss = update(&l->run, wish->batch, wish->rate, wish->momentum);
    l->run.m->be->op->download(l->run.m->s, w, l->run.m->params);
    bool finite_loss = loss < 1e4 && length(w, n) < 1e4;
    Metrics held = {0};
    bool measured = finite_loss && (l->trail.updates % MEASURE_EVERY == 0 || wish->paused);
    if (measured) {
        held = measure(l, w, l->held_set);
        finite_loss = metrics_loss(held) < 1e4;
    }
    double most = SOUND * l->seen.start_loss;
    if (finite_loss) {
        memcpy(l->trail.now, w, n * sizeof *w);
        trail_add(l);
        if (loss < most && !(measured && metrics_loss(held) > most)) {
            memcpy(l->trail.sound, w, n * sizeof *w);
            l->trail.sound_count = l->trail.count;
        }
    }
    background_lock(l->thread);
    LiveSeen *s = &l->seen;
    l->changes++;
    s->diverged = !finite_loss;
    s->images_per_s = images_per_s;
    if (finite_loss) {
        s->update = l->trail.updates;
        s->loss = loss;
        curve_add(&s->batch, s->update - 1, loss);
        if (measured) {
            s->held_loss = metrics_loss(held);
            s->accuracy = metrics_accuracy(held);
            curve_add(&s->held, s->update, s->held_loss);
        }
    }
    background_unlock(l->thread);
    free(w);
}

/* An update of the second network, and a point of its path. */
static void train_other(Live *l, const LiveWish *wish)
{
    int n = l->other.m->params.n;
    float *w = alloc(n, sizeof *w);
    double a, b,
        loss = update(&l->other, wish->other.batch, wish->other.rate, wish->other.momentum);
    l->other.m->be->op->download(l->other.m->s, w, l->other.m->params);
    bool on = l->shown.laid && loss < 1e4 && length(w, n) < 1e4 &&
              l->other_updates++ % l->other_every == 0;
    if (on)
        ground_find(l, w, &a, &b);
    free(w);
    background_lock(l->thread);
    LiveSeen *s = &l->seen;
    s->other_loss = loss;
    if (on && s->other_points == LIVE_STEPS) {
        for (int k = 0; k < LIVE_STEPS / 2; k++) {
            s->other_a[k] = s->other_a[2 * k];
            s->other_b[k] = s->other_b[2 * k];
        }
        s->other_points = LIVE_STEPS / 2;
        l->other_every *= 2;
    }
    if (on) {
        s->other_a[s->other_points] = a;
        s->other_b[s->other_points++] = b;
    }
    background_unlock(l->thread);
}

/* The sharpness, in at most a quarter of the thread's time. */
static void add_sharpness(Live *l, const LiveWish *wish)
{
    enum { EVERY = 8 }; /* updates */
    double began = timer_real();
    if (l->trail.updates % EVERY || l->seen.diverged || (!wish->hurry && began < l->sharpness_due))
        return;
    double lambda = live_sharpness(l), now = timer_real();
    l->sharpness_due = now + 3 * (now - began);
    background_lock(l->thread);
    curve_add(&l->seen.sharpness, l->trail.updates, lambda);
    curve_add(&l->seen.limit, l->trail.updates, 2 * (1 + wish->momentum) / wish->rate);
    l->changes++;
    background_unlock(l->thread);
}

/* ---- the thread ---- */

typedef struct Clock {
    double next;          /* when the next update is due */
    double since, images; /* since when, and how many images */
    double images_per_s;
} Clock;

static void count_images(Clock *p, double now, int images)
{
    p->images += images;
    if (now - p->since < 0.5)
        return;
    p->images_per_s = p->images / (now - p->since);
    p->since = now;
    p->images = 0;
}

/* Take over the wishes. May this slice make an update? */
static bool obey(Live *l, LiveWish *wish, Clock *clock)
{
    double now = timer_real();
    background_lock(l->thread);
    *wish = l->wish;
    bool may = !l->seen.diverged && (wish->hurry    ? l->trail.updates < l->setup.updates
                                     : wish->paused ? wish->steps > 0
                                                    : now >= clock->next);
    l->wish.steps -= wish->paused && wish->steps > 0;
    background_unlock(l->thread);
    if (may)
        /* catch up on at most 0.1 s */
        clock->next = fmax(clock->next + 1 / wish->speed, now - 0.1);
    return may;
}

void live_work(void *live, BackgroundThread *b)
{
    Live *l = live;
    LiveWish wish;
    l->thread = b;
    restart(l, NULL, false, false);
    Clock clock = {.next = timer_real(), .since = timer_real()};
    while (background_goes_on(b) && !stop_requested()) {
        bool may = obey(l, &wish, &clock);
        if (wish.restart || wish.place) {
            bool place = wish.place && l->shown.laid;
            if (place)
                ground_at(l, l->trail.now, wish.a, wish.b);
            restart(l, place ? l->trail.now : NULL, wish.hold || place, wish.duel);
            continue;
        }
        if (may) {
            train(l, &wish, clock.images_per_s);
            if (wish.duel && l->other.m)
                train_other(l, &wish);
            if (wish.sharpness)
                add_sharpness(l, &wish);
            count_images(&clock, timer_real(), wish.batch);
            if (!wish.hurry)
                ground_path(l);
        }
        if (wish.hurry && may)
            continue; /* first all updates, then the surface */
        if (!ground_work(l, wish.plane, wish.hold) && !may) {
            if (wish.hurry)
                return;
            usleep(2000);
        }
    }
}
