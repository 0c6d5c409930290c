/* sgd_walk.c: see sgd_walk.h. */
#include "sgd_walk.h"
#include "check.h"
#include "descent.h"
#include "exercise.h"
#include "lab1.h"
#include <stdlib.h>

/* An epoch of updates on one example each: like sgd_walk_step(), but without a history. */
static void one_by_one(double *w, double *b, const double *x, const double *y, const int *order,
                       int n, int batch, double rate, double *room, UpdateReport *report,
                       void *context)
{
    for (int i = 0; i < n; i++) {
        double dw, db;
        gradient(&dw, &db, x + order[i], y + order[i], 1, *w, *b);
        update(w, b, dw, db, rate);
        report(context, i, 1, *w, *b);
    }
}

/* Rates from far below the limit to near it. At batch 1 drawing with and without replacement is the
 * same: only one is measured. */
static void survey_start(SgdWalk *s)
{
    double limit = sgd_rate_limit(&s->noise, SGD_WITH, 1);
    sgd_survey_free(&s->survey);
    s->survey = sgd_survey_new(s->points, one_by_one, s->seed, 400);
    for (int i = 0; i < 9; i++) {
        double rate = limit * (i < 8 ? 1. / (1 << (8 - i)) : 0.75);
        sgd_survey_add(&s->survey, SGD_WITH, rate, 1);
        sgd_survey_add(&s->survey, SGD_SHUFFLED, rate, 1);
    }
}

SgdWalk sgd_walk_new(int points, double noise, uint64_t seed, SgdSampling sampling, double rate,
                     double start_w, double start_b)
{
    SgdWalk s = {.points = points_new(points, 1.5, 0.5, noise, seed),
                 .seed = seed,
                 .sampling = sampling,
                 .rate = rate,
                 .ordered = -1,
                 .missing = exercise_missing(NULL)};
    s.noise = sgd_noise_of(&s.points);
    s.w = alloc(WALK_MAX + 1, sizeof(double));
    s.b = alloc(WALK_MAX + 1, sizeof(double));
    s.loss = alloc(WALK_MAX + 1, sizeof(double));
    s.own = alloc(WALK_MAX, sizeof(double));
    s.order = alloc(points, sizeof(int));
    sgd_walk_restart(&s, start_w, start_b);
    survey_start(&s);
    return s;
}

void sgd_walk_free(SgdWalk *s)
{
    sgd_survey_free(&s->survey);
    points_free(&s->points);
    free(s->w);
    free(s->b);
    free(s->loss);
    free(s->own);
    free(s->order);
}

void sgd_walk_restart(SgdWalk *s, double w, double b)
{
    s->start_w = s->w[0] = w;
    s->start_b = s->b[0] = b;
    s->loss[0] = parabola_loss(&s->noise.all, w, b);
    s->count = 1;
    s->lost = false;
}

void sgd_walk_noise(SgdWalk *s, double noise)
{
    Points other = points_new(s->points.n, s->points.true_w, s->points.true_b, noise, s->seed);
    points_free(&s->points);
    s->points = other;
    s->noise = sgd_noise_of(&other);
    sgd_walk_restart(s, s->start_w, s->start_b);
    survey_start(s);
}

void sgd_walk_sampling(SgdWalk *s, SgdSampling sampling)
{
    s->sampling = sampling;
    s->ordered = -1;
}

int sgd_walk_example(SgdWalk *s, int t)
{
    int n = s->points.n;
    if (s->missing)
        return 0;
    if (s->ordered != t / n)
        sgd_order(s->order, n, s->sampling, 1, s->seed, s->ordered = t / n);
    return s->order[t % n];
}

void sgd_walk_step(SgdWalk *s)
{
    if (s->missing || s->lost || s->count > WALK_MAX)
        return;
    int last = s->count - 1, i = sgd_walk_example(s, last);
    double w = s->w[last], b = s->b[last], dw, db;
    Parabola own = parabola_of(&s->points, i, 1);
    s->own[last] = parabola_loss(&own, w, b);
    gradient(&dw, &db, s->points.x + i, s->points.y + i, 1, w, b);
    update(&w, &b, dw, db, s->rate);
    s->w[s->count] = w;
    s->b[s->count] = b;
    s->loss[s->count] = parabola_loss(&s->noise.all, w, b);
    s->lost = !(s->loss[s->count++] < DESCENT_LOST);
}

void sgd_walk_back(SgdWalk *s)
{
    if (s->count > 1)
        s->count--;
    s->lost = false;
}
