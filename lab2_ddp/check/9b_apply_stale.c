/* 9b_apply_stale.c: the check of apply_stale: beside the steps that the usual mistakes would make.
 * */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { N = 300, STEPS = 5 };

typedef enum {
    RIGHT,
    NOT_AWARE,
    ALWAYS_AWARE,
    BY_STALENESS,
    SCALES_STEP,
    OLD_VELOCITY,
    NO_MOMENTUM,
    RATE_IN_VELOCITY,
    UPHILL,
    WHOLE,
    KINDS
} Kind;

static const char *const names[KINDS] = {
    "",
    "an old gradient counts like a new one: with aware c is 1 / (1 + staleness)",
    "the age counts although aware is false: then c is 1",
    "c is 1 / staleness: it is 1 / (1 + staleness), and 1 for a gradient that is not old",
    "the age scales the whole step: it scales the gradient, before it enters v",
    "the step uses the old v: first the new v, then the step",
    "a step without momentum: is v kept?",
    "the rate is in v already: it belongs to the step alone",
    "it goes uphill: subtract",
    "1 / (1 + staleness) in integers is 0: 1.0 / (1 + staleness)",
};

static void step(double *w, double *v, Kind kind, const float *g, double rate, double momentum,
                 int staleness, bool aware)
{
    double age = 1.0 / (1 + staleness);
    double c = (aware && kind != NOT_AWARE) || kind == ALWAYS_AWARE ? age : 1;
    if (kind == BY_STALENESS && aware)
        c = staleness ? 1.0 / staleness : INFINITY;
    if (kind == WHOLE && aware)
        c = staleness ? 0 : 1;
    for (int i = 0; i < N; i++) {
        double old = v[i], in = kind == SCALES_STEP ? g[i] : c * g[i];
        v[i] = momentum * old + (kind == RATE_IN_VELOCITY ? rate * in : in);
        double by = kind == OLD_VELOCITY ? old : kind == NO_MOMENTUM ? in : v[i];
        by *= kind == RATE_IN_VELOCITY ? 1 : rate;
        by *= kind == SCALES_STEP ? c : 1;
        w[i] += kind == UPHILL ? by : -by;
    }
}

static bool near(const float *found, const double *expected)
{
    for (int i = 0; i < N; i++)
        if (!(fabs(found[i] - expected[i]) <= 1e-4 * (1 + fabs(expected[i]))))
            return false;
    return true;
}

static void judge_steps(double momentum, bool aware, int first_age)
{
    static double w[KINDS][N], v[KINDS][N];
    float own[N], velocity[N], g[N], kept[N]; /* v is not 0: as in the middle */
    Rng r = rng_at(9, RNG_TEST, 2, 0);
    for (int i = 0; i < N; i++) {
        own[i] = (float)rng_normal(&r);
        velocity[i] = (float)rng_normal(&r);
        for (int k = 0; k < KINDS; k++) {
            w[k][i] = own[i];
            v[k][i] = velocity[i];
        }
    }
    for (int t = 0; t < STEPS; t++) {
        int age = first_age ? first_age + t % 3 : 0;
        for (int i = 0; i < N; i++)
            kept[i] = g[i] = (float)rng_normal(&r);
        for (int k = 0; k < KINDS; k++)
            step(w[k], v[k], k, g, 0.3, momentum, age, aware);
        apply_stale(own, velocity, g, N, 0.3, momentum, age, aware);
        WRONG_UNLESS(!memcmp(kept, g, sizeof kept), "it changes g");
        for (int k = 1; k < KINDS && !near(own, w[RIGHT]); k++)
            WRONG_UNLESS(!near(own, w[k]), "momentum %g, staleness %d, aware %s: %s", momentum, age,
                         aware ? "true" : "false", names[k]);
        WRONG_UNLESS(near(own, w[RIGHT]),
                     "momentum %g, staleness %d, aware %s, step %d: w[0] is %.6g, expected %.6g%s",
                     momentum, age, aware ? "true" : "false", t + 1, own[0], w[RIGHT][0],
                     isfinite(own[0]) ? "" : ": is that 1 / staleness, of a gradient not old?");
        WRONG_UNLESS(near(velocity, v[RIGHT]),
                     "momentum %g, staleness %d: w is right, but v[0] is %.6g, expected %.6g: the "
                     "next step will be wrong",
                     momentum, age, velocity[0], v[RIGHT][0]);
    }
}

static void judge(void *unused)
{
    judge_steps(0, false, 0);
    judge_steps(0.9, false, 0);
    judge_steps(0.9, false, 2);
    judge_steps(0.9, true, 2);
    judge_steps(0, true, 2);
    judge_steps(0.9, true, 0);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "apply_stale", 5,
                          "momentum SGD in which an old gradient counts less", judge);
}
