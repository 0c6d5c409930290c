/* sgd_survey.c: see sgd_survey.h. */
#include "sgd_survey.h"
#include "check.h"
#include "timer.h"
#include <math.h>
#include <stdlib.h>

static const double MOST_UPDATES = 1e6; /* of a block */

SgdSurvey sgd_survey_new(Points points, SgdEpoch *run, uint64_t seed, int blocks)
{
    SgdSurvey s = {.points = points,
                   .noise = sgd_noise_of(&points),
                   .run = run,
                   .seed = seed,
                   .blocks = blocks};
    s.order = alloc(points.n, sizeof *s.order);
    s.room = alloc(2ul * points.n, sizeof *s.room);
    return s;
}

void sgd_survey_free(SgdSurvey *s)
{
    free(s->point);
    free(s->order);
    free(s->room);
}

/* 10 times as many updates as the slow direction takes to decay by e. Points that nearly share one
 * x have hardly any curvature there, and would take forever. */
static double block_updates(const SgdSurvey *s, double rate)
{
    double low, high;
    parabola_curvature(&s->noise.all, &low, &high);
    return ceil(10 / (rate * low));
}

void sgd_survey_add(SgdSurvey *s, SgdSampling sampling, double rate, int batch)
{
    s->point = realloc(s->point, (s->count + 1) * sizeof *s->point);
    ASSERT(s->point);
    SgdPoint *p = &s->point[s->count++];
    *p = (SgdPoint){.sampling = sampling,
                    .rate = rate,
                    .batch = batch,
                    .theory = sgd_floor(&s->noise, sampling, rate, batch)};
    p->lost = isnan(p->theory) || p->theory == 0 || /* nothing to measure */
              !(block_updates(s, rate) <= MOST_UPDATES);
    parabola_minimum(&s->noise.all, &p->w, &p->b);
}

typedef struct Tally {
    const SgdNoise *noise;
    double sum;
    long count;
} Tally;

static void tally(void *context, int first, int size, double w, double b)
{
    Tally *t = context;
    t->sum += parabola_loss(&t->noise->all, w, b) - t->noise->lowest;
    t->count++;
}

/* A block is so long that blocks are nearly independent. The first block is a burn-in: e^-20 of the
 * start's variance remains. */
static void work_block(SgdSurvey *s, SgdPoint *p)
{
    long updates = (long)block_updates(s, p->rate);
    Tally t = {.noise = &s->noise};
    while (t.count < updates) {
        int n = sgd_order(s->order, s->points.n, p->sampling, p->batch, s->seed + 1, p->epoch++);
        s->run(&p->w, &p->b, s->points.x, s->points.y, s->order, n, p->batch, p->rate, s->room,
               tally, &t);
        /* diverged, or an epoch that reports nothing */
        if (t.count == 0 || !(t.sum < 1e9 * (double)t.count)) {
            p->lost = true;
            return;
        }
    }
    double mean = t.sum / (double)t.count;
    if (p->blocks++ > 0) {
        p->sum += mean;
        p->squares += mean * mean;
    }
}

static SgdPoint *least_measured(const SgdSurvey *s)
{
    SgdPoint *least = NULL;
    for (int i = 0; i < s->count; i++)
        if (!s->point[i].lost && s->point[i].blocks <= s->blocks &&
            (!least || s->point[i].blocks < least->blocks))
            least = &s->point[i];
    return least;
}

bool sgd_survey_work(SgdSurvey *s, double seconds)
{
    double until = timer_real() + seconds;
    SgdPoint *p;
    while ((p = least_measured(s))) {
        work_block(s, p);
        if (timer_real() >= until)
            return true;
    }
    return false;
}

double sgd_survey_done(const SgdSurvey *s)
{
    double done = 0;
    for (int i = 0; i < s->count; i++)
        done += s->point[i].lost ? 1 : s->point[i].blocks / (s->blocks + 1.0);
    return s->count ? done / s->count : 1;
}

double sgd_point_mean(const SgdPoint *p)
{
    if (p->theory == 0)
        return 0;
    return p->lost || p->blocks < 2 ? NAN : p->sum / (p->blocks - 1);
}

double sgd_point_error(const SgdPoint *p)
{
    int n = p->blocks - 1;
    if (p->theory == 0)
        return 0;
    if (p->lost || n < 4)
        return NAN;
    double mean = p->sum / n, variance = fmax(p->squares / n - mean * mean, 0) * n / (n - 1);
    return sqrt(variance / n);
}

/* ---- the examples of an epoch ---- */

/* `count` different elements of 0 … n-1, all subsets equally likely: each is taken with probability
 * (still needed) / (still to come) (Knuth, TAOCP 2, algorithm 3.4.2 S). */
static void draw_different(int *out, int count, int n, Rng *r)
{
    for (int i = 0, taken = 0; taken < count; i++)
        if ((int)rng_below(r, n - i) < count - taken)
            out[taken++] = i;
}

int sgd_order(int *order, int n, SgdSampling sampling, int batch, uint64_t seed, int epoch)
{
    Rng r = rng_at(seed, RNG_ORDER, (uint32_t)epoch, 0);
    int used = sampling == SGD_SHUFFLED ? n : n / batch * batch;
    for (int i = 0; i < used; i++)
        order[i] = sampling == SGD_WITH ? (int)rng_below(&r, n) : i;
    if (sampling == SGD_SHUFFLED)
        shuffle(order, n, &r);
    for (int i = 0; sampling == SGD_SHUFFLED && i < n; i++) /* they become indices */
        if (order[i] < 0 || order[i] >= n)
            die(EXIT_WRONG, "lab1_gd/exercises/2_shuffle.c left %d in an order of 0 to %d",
                order[i], n - 1);
    for (int first = 0; sampling == SGD_WITHOUT && first < used; first += batch)
        draw_different(order + first, batch, n, &r);
    return used;
}
