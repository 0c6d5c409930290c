/* descent.c: the descent itself: a history of places that grows by one with each update. */
#include "descent.h"
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "exercise.h"

static const double no_points[2] = {0, 1};

static void try_gradient(void *unused)
{
    double dw, db;
    (void)unused;
    gradient(&dw, &db, no_points, no_points, 2, 0, 0);
}

static void try_update(void *unused)
{
    double w = 0, b = 0;
    (void)unused;
    update(&w, &b, 1, 1, 0.1);
}

static void try_converged(void *unused)
{
    (void)unused;
    converged(no_points, 2, 1, 0.1);
}

static const ExerciseUse uses[] = {{"lab1_gd/gradient.c", try_gradient}, {"lab1_gd/update.c", try_update},
                                   {"lab1_gd/converged.c", try_converged}};

Descent descent_new(Points points, int batch, double rate, double start_w, double start_b)
{
    Descent d = {.points = points, .all = parabola_of(&points, 0, points.n), .batch = batch, .rate = rate,
                 .window = 10, .tolerance = 1e-6, .missing = exercise_missing(uses, 3)};
    d.w = alloc(DESCENT_MAX + 1, sizeof(double));
    d.b = alloc(DESCENT_MAX + 1, sizeof(double));
    d.loss = alloc(DESCENT_MAX + 1, sizeof(double));
    descent_restart(&d, start_w, start_b);
    return d;
}

void descent_free(Descent *d)
{
    points_free(&d->points);
    free(d->w);
    free(d->b);
    free(d->loss);
    free(d->missing);
}

void descent_restart(Descent *d, double w, double b)
{
    d->start_w = d->w[0] = w;
    d->start_b = d->b[0] = b;
    d->loss[0] = parabola_loss(&d->all, w, b);
    d->count = 1;
    d->end = DESCENT_GOES_ON;
}

/* Where the batch of update t begins: the points lie in random order, so batches are taken in turn. What does not fill
 * a batch is left out. */
static int batch_start(const Descent *d, int t) { return t % (d->points.n / d->batch) * d->batch; }

void descent_step(Descent *d)
{
    if (d->missing || d->end != DESCENT_GOES_ON)
        return;
    if (d->count > DESCENT_MAX) {
        d->end = DESCENT_FULL;
        return;
    }
    int last = d->count - 1, first = batch_start(d, last);
    double w = d->w[last], b = d->b[last], dw, db;
    gradient(&dw, &db, d->points.x + first, d->points.y + first, d->batch, w, b);
    update(&w, &b, dw, db, d->rate);
    double loss = parabola_loss(&d->all, w, b);
    d->w[d->count] = w;
    d->b[d->count] = b;
    d->loss[d->count++] = loss;
    if (!(loss < 1e12))
        d->end = DESCENT_DIVERGED;
    else if (converged(d->loss, d->count, d->window, d->tolerance))
        d->end = DESCENT_CONVERGED;
}

void descent_back(Descent *d)
{
    if (d->count > 1)
        d->count--;
    d->end = DESCENT_GOES_ON;
}
