/* sgd_race.c: see sgd_race.h. */
#include "sgd_race.h"
#include "check.h"
#include "descent.h"
#include "exercise.h"
#include "lab1.h"
#include "quantiles.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

typedef struct Recorder {
    const SgdNoise *noise;
    Racer *racer;
} Recorder;

static void record(void *context, int first, int size, double w, double b)
{
    const Recorder *s = context;
    Racer *k = s->racer;
    if (k->lost || k->count >= RACE_MAX + s->noise->n + 1)
        return;
    k->w[k->count] = w;
    k->b[k->count] = b;
    k->loss[k->count] = parabola_loss(&s->noise->all, w, b);
    k->seen[k->count] = k->seen[k->count - 1] + size;
    k->lost = !(k->loss[k->count++] < DESCENT_LOST);
}

/* A racer's next epoch. A shuffled order does not depend on the batch: all racers see the same
 * examples. */
static void run_epoch(SgdRace *r, Racer *k)
{
    Recorder recorder = {&r->noise, k};
    double w = k->w[k->count - 1], b = k->b[k->count - 1];
    int n = sgd_order(r->order, r->points.n, r->sampling, k->batch, r->seed, k->epoch++);
    minibatch_epoch(&w, &b, r->points.x, r->points.y, r->order, n, k->batch, r->rate, r->room,
                    record, &recorder);
}

static void catch_up(SgdRace *r, Racer *k)
{
    while (!k->lost && k->count <= r->tick) {
        int before = k->count;
        run_epoch(r, k);
        if (k->count == before) /* an epoch without a report: nothing to show */
            k->lost = true;
    }
}

static void ignore(void *context, int first, int size, double w, double b) {}

/* Seconds per update: whole epochs in a row, about 20,000 examples, at rate 0. The median of 9 such
 * times, because other programs may interrupt. */
static double measure(SgdRace *r, int batch)
{
    enum { TIMES = 9 };
    double time[TIMES], w = r->start_w, b = r->start_b;
    int n = sgd_order(r->order, r->points.n, SGD_WITH, batch, r->seed, 0), repeats = 1 + 20000 / n;
    for (int i = 0; i < TIMES; i++) {
        double began = timer_now();
        for (int k = 0; k < repeats; k++)
            minibatch_epoch(&w, &b, r->points.x, r->points.y, r->order, n, batch, 0, r->room,
                            ignore, NULL);
        time[i] = (timer_now() - began) / ((double)repeats * (n / batch));
    }
    sort_ascending(time, TIMES);
    return time[TIMES / 2];
}

static void racer_restart(SgdRace *r, Racer *k)
{
    k->w[0] = r->start_w;
    k->b[0] = r->start_b;
    k->loss[0] = parabola_loss(&r->noise.all, r->start_w, r->start_b);
    k->seen[0] = 0;
    k->count = 1;
    k->epoch = 0;
    k->lost = false;
    k->floor = sgd_floor(&r->noise, r->sampling, r->rate, k->batch);
    if (!r->missing)
        k->seconds = measure(r, k->batch);
}

/* Batch sizes of the survey: the divisors of n, so that no batch is short; if these are few, powers
 * of two. */
static int survey_batches(int n, int batch[12])
{
    int count = 0;
    for (int b = 1; b <= n && count < 12; b++)
        if (n % b == 0)
            batch[count++] = b;
    if (count >= 6 && batch[count - 1] == n)
        return count;
    count = 0;
    for (int b = 1; b < n && count < 11; b *= 2)
        batch[count++] = b;
    batch[count++] = n;
    return count;
}

static void survey_start(SgdRace *r)
{
    int batch[12], count = survey_batches(r->points.n, batch);
    sgd_survey_free(&r->survey);
    r->survey = sgd_survey_new(r->points, minibatch_epoch, r->seed, 400);
    for (int how = 0; how < SGD_SAMPLINGS; how++)
        for (int i = 0; i < count; i++)
            sgd_survey_add(&r->survey, how, r->rate, batch[i]);
}

SgdRace sgd_race_new(int points, double noise, uint64_t seed, SgdSampling sampling, double rate,
                     double start_w, double start_b, const int batch[RACERS])
{
    SgdRace r = {.points = points_new(points, 1.5, 0.5, noise, seed),
                 .seed = seed,
                 .sampling = sampling,
                 .rate = rate,
                 .missing = exercise_missing(NULL)};
    r.noise = sgd_noise_of(&r.points);
    r.order = alloc(points, sizeof(int));
    r.room = alloc(2ul * points, sizeof(double));
    for (int k = 0; k < RACERS; k++) {
        double *room = alloc(4ul * (RACE_MAX + points + 1), sizeof *room);
        size_t stride = RACE_MAX + points + 1;
        r.racer[k] = (Racer){.batch = batch[k] < points ? batch[k] : points,
                             .w = room,
                             .b = room + stride,
                             .loss = room + 2 * stride,
                             .seen = room + 3 * stride};
    }
    sgd_race_restart(&r, start_w, start_b);
    survey_start(&r);
    return r;
}

void sgd_race_free(SgdRace *r)
{
    for (int k = 0; k < RACERS; k++)
        free(r->racer[k].w); /* one allocation with b, loss and seen */
    sgd_survey_free(&r->survey);
    points_free(&r->points);
    free(r->order);
    free(r->room);
}

void sgd_race_restart(SgdRace *r, double w, double b)
{
    r->start_w = w;
    r->start_b = b;
    r->tick = 0;
    for (int k = 0; k < RACERS; k++)
        racer_restart(r, &r->racer[k]);
}

void sgd_race_rate(SgdRace *r, double rate)
{
    r->rate = rate;
    sgd_race_restart(r, r->start_w, r->start_b);
    survey_start(r);
}

void sgd_race_sampling(SgdRace *r, SgdSampling sampling)
{
    r->sampling = sampling;
    sgd_race_restart(r, r->start_w, r->start_b);
}

void sgd_race_noise(SgdRace *r, double noise)
{
    Points other = points_new(r->points.n, r->points.true_w, r->points.true_b, noise, r->seed);
    points_free(&r->points);
    r->points = other;
    r->noise = sgd_noise_of(&other);
    sgd_race_restart(r, r->start_w, r->start_b);
    survey_start(r);
}

void sgd_race_batch(SgdRace *r, int batch)
{
    Racer *k = &r->racer[r->marked];
    k->batch = batch < 1 ? 1 : batch < r->points.n ? batch : r->points.n;
    racer_restart(r, k);
    if (!r->missing)
        catch_up(r, k);
}

void sgd_race_step(SgdRace *r)
{
    if (r->missing || r->tick >= RACE_MAX)
        return;
    r->tick++;
    for (int k = 0; k < RACERS; k++)
        catch_up(r, &r->racer[k]);
}

void sgd_race_back(SgdRace *r) { r->tick -= r->tick > 0; }

int sgd_racer_at(const SgdRace *r, int k)
{
    return r->tick < r->racer[k].count ? r->tick : r->racer[k].count - 1;
}
