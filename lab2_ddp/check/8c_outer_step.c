/* 8c_outer_step.c: the check of outer_step: special cases with a name, then several steps beside
 * those that the usual mistakes would make.
 */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { N = 500, STEPS = 4 };

typedef struct State {
    double start[N], v[N];
} State;

typedef enum { RIGHT, HEAVY_BALL, NO_MOMENTUM, DAMPED, RATE_IN_VELOCITY, UPHILL, KINDS } Kind;

static const char *const names[KINDS] = {
    "",
    "that is a step by v alone, or by delta + momentum v with the old v: first the new v",
    "that is a step without momentum: is v kept?",
    "v takes (1 - momentum) delta: here it takes all of delta",
    "the rate is in v already: it belongs to the step alone",
    "the step goes away from the ranks' weights: delta is start minus weights, so subtract it",
};

static void step(State *s, Kind kind, const float *delta, double rate, double momentum)
{
    for (int i = 0; i < N; i++) {
        double old = s->v[i], g = delta[i];
        s->v[i] = momentum * old + (kind == DAMPED             ? (1 - momentum) * g
                                    : kind == RATE_IN_VELOCITY ? rate * g
                                                               : g);
        double by = kind == HEAVY_BALL ? s->v[i] : kind == NO_MOMENTUM ? g : g + momentum * s->v[i];
        if (kind == RATE_IN_VELOCITY)
            by = (rate * g + momentum * s->v[i]) / rate;
        s->start[i] += kind == UPHILL ? rate * by : -rate * by;
    }
}

static bool near(const float *found, const double *expected)
{
    for (int i = 0; i < N; i++)
        if (!(fabs(found[i] - expected[i]) <= 1e-4 * (1 + fabs(expected[i]))))
            return false;
    return true;
}

static void judge_steps(double rate, double momentum)
{
    static State twin[KINDS];
    float start[N], v[N], delta[N], kept[N]; /* v is not 0: as in the middle */
    Rng r = rng_at(8, RNG_TEST, 3, 0);
    memset(twin, 0, sizeof twin);
    for (int i = 0; i < N; i++) {
        start[i] = (float)rng_normal(&r);
        v[i] = (float)rng_normal(&r);
        for (int k = 0; k < KINDS; k++) {
            twin[k].start[i] = start[i];
            twin[k].v[i] = v[i];
        }
    }
    for (int t = 1; t <= STEPS; t++) {
        for (int i = 0; i < N; i++)
            kept[i] = delta[i] = (float)rng_normal(&r);
        for (int k = 0; k < KINDS; k++)
            step(&twin[k], k, delta, rate, momentum);
        outer_step(start, v, delta, N, rate, momentum);
        WRONG_UNLESS(!memcmp(kept, delta, sizeof kept), "it changes delta");
        for (int k = 1; k < KINDS && !near(start, twin[RIGHT].start); k++)
            WRONG_UNLESS(!near(start, twin[k].start) || near(start, twin[RIGHT].start),
                         "rate %g, momentum %g, step %d: %s", rate, momentum, t, names[k]);
        WRONG_UNLESS(near(start, twin[RIGHT].start),
                     "rate %g, momentum %g, step %d: start[0] is %.6g, expected %.6g", rate,
                     momentum, t, start[0], twin[RIGHT].start[0]);
        WRONG_UNLESS(near(v, twin[RIGHT].v),
                     "rate %g, momentum %g, step %d: start is right, but v[0] is %.6g, expected "
                     "%.6g: the next step will be wrong",
                     rate, momentum, t, v[0], twin[RIGHT].v[0]);
    }
}

static void judge(void *unused)
{
    float start = 3, v = 0, delta = 1;
    outer_step(&start, &v, &delta, 1, 1, 0);
    WRONG_UNLESS(start != 4, "%s", names[UPHILL]);
    WRONG_UNLESS(start == 2,
                 "rate 1, momentum 0: start 3, delta 1: it becomes %g, expected 2: the "
                 "mean of the ranks' weights",
                 start);
    judge_steps(0.7, 0.9);
    judge_steps(0.3, 0.5);
    judge_steps(1, 0);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "outer_step", 5,
                          "steps of Nesterov's SGD along the mean pseudo-gradient", judge);
}
