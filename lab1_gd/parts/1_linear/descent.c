/* descent.c: the descent itself: a path that grows by one point with each update. */
#include "descent.h"
#include "check.h"
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <stdlib.h>

Descent descent_new(int points, double noise, uint64_t seed, double rate, double start_w,
                    double start_b)
{
    Descent d = {.seed = seed,
                 .rate = rate,
                 .window = 10,
                 .tolerance = 1e-6,
                 .missing = exercise_missing("1a_gradient 1b_update")};
    d.unstopped = d.missing ? NULL : exercise_missing("1c_converged");
    d.points = points_new(points, 1.5, 0.5, noise, seed);
    d.all = parabola_of(&d.points, 0, points);
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
}

void descent_restart(Descent *d, double w, double b)
{
    d->start_w = d->w[0] = w;
    d->start_b = d->b[0] = b;
    d->loss[0] = parabola_loss(&d->all, w, b);
    d->count = 1;
    d->end = DESCENT_RUNNING;
}

void descent_noise(Descent *d, double noise)
{
    int n = d->points.n;
    Points other = points_new(n, d->points.true_w, d->points.true_b, noise, d->seed);
    points_free(&d->points);
    d->points = other;
    d->all = parabola_of(&d->points, 0, n);
    descent_restart(d, d->start_w, d->start_b);
}

void descent_step(Descent *d)
{
    if (d->missing || d->end != DESCENT_RUNNING)
        return;
    if (d->count > DESCENT_MAX) {
        d->end = DESCENT_FULL;
        return;
    }
    double w = d->w[d->count - 1], b = d->b[d->count - 1], dw, db;
    gradient(&dw, &db, d->points.x, d->points.y, d->points.n, w, b);
    update(&w, &b, dw, db, d->rate);
    double loss = parabola_loss(&d->all, w, b);
    d->w[d->count] = w;
    d->b[d->count] = b;
    d->loss[d->count++] = loss;
    if (!(loss < DESCENT_LOST))
        d->end = DESCENT_DIVERGED;
    else if (!d->unstopped && converged(d->loss, d->count, d->window, d->tolerance))
        d->end = DESCENT_CONVERGED;
}

void descent_back(Descent *d)
{
    if (d->count > 1)
        d->count--;
    d->end = DESCENT_RUNNING;
}

double descent_lowest(const Descent *d)
{
    double w, b;
    parabola_minimum(&d->all, &w, &b);
    double lowest = parabola_loss(&d->all, w, b);
    return lowest > 1e-12 * d->loss[0] ? lowest : 0;
}

/* Is the step so small that a descent stops before it is there? Along the flattest axis, the error
 * squared falls in each update by (1 - ηλ)². */
static bool hardly_moves(const Descent *d, double lambda)
{
    return 1 - pow(1 - d->rate * lambda, 2 * d->window) < d->tolerance;
}

const char *descent_words(const Descent *d, const char *phase)
{
    double low, high, lowest = descent_lowest(d), last = d->loss[d->count - 1];
    parabola_curvature(&d->all, &low, &high);
    bool stable = d->rate < 2 / high, reached = last <= 1.1 * lowest + 1e-9 * d->loss[0];
    switch (d->end) {
    case DESCENT_CONVERGED:
        return reached ? "converged"
             : stable && hardly_moves(d, low)
                 ? "STOPPED far above the minimum: so small a learning rate hardly moves"
             : stable ? "STOPPED far above the minimum: make check LAB=lab1 ONLY=1"
                      : "STOPPED, but the learning rate is too large to converge: look at "
                        "converged";
    case DESCENT_DIVERGED:
        return stable ? "DIVERGED at a stable rate: make check LAB=lab1 ONLY=1"
                      : "DIVERGED: the learning rate is too large";
    case DESCENT_FULL: return "stopped: too many updates";
    default: return d->unstopped && reached ? "there, and not stopped: to do: 1c" : phase;
    }
}
