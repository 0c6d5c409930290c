/* check_scale.c: judges of parts 4 and 7: the cost of an update, the law of data, the cost of a training. */
#include <math.h>
#include <stddef.h>
#include "judge.h"
#include "lab1.h"
#include "rng.h"

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1, fabs(b)); }

static double relative_error(double t0, double c, const double *batch, const double *seconds, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pow((t0 + c * batch[i] - seconds[i]) / seconds[i], 2);
    return sum;
}

/* Exact data first; with noise no other line near may be better. */
void judge_time_per_update(void *unused)
{
    (void)unused;
    enum { N = 9 };
    double batch[N], seconds[N], t0 = NAN, c = NAN;
    for (int i = 0; i < N; i++) {
        batch[i] = 1 << i;
        seconds[i] = 0.004 + 0.0005 * batch[i];
    }
    for (int n = 2; n <= N; n++) {
        time_per_update(&t0, &c, batch, seconds, n);
        WRONG_UNLESS(close_to(1e3 * t0, 4) && close_to(1e3 * c, 0.5),
                     "t0 = %g, c = %g from %d points that lie on 0.004 + 0.0005 B", t0, c, n);
    }
    Rng r = rng_at(5, RNG_TEST, 0, 0);
    for (int i = 0; i < N; i++)
        seconds[i] *= 1 + 0.1 * rng_normal(&r);
    time_per_update(&t0, &c, batch, seconds, N);
    double found = relative_error(t0, c, batch, seconds, N);
    for (int i = 0; i < 4; i++) {
        double other = relative_error(t0 * (i == 0 ? 1.001 : i == 1 ? 0.999 : 1), c * (i == 2 ? 1.001 : i == 3 ? 0.999 : 1), batch, seconds, N);
        WRONG_UNLESS(found < other, "t0 = %g, c = %g: the sum of squared relative errors is %.6g there, and %.6g beside it", t0, c,
                     found, other);
    }
}

void judge_needed_examples(void *unused)
{
    (void)unused;
    static const double laws[][3] = {{2, -0.5, 0}, {2, -0.5, 0.05}, {1.3, -0.31, 0.1}};
    for (int i = 0; i < 3; i++) {
        const double *l = laws[i];
        for (double examples = 10; examples < 1e7; examples *= 7) {
            double target = l[0] * pow(examples, l[1]) + l[2], found = needed_examples(l[0], l[1], l[2], target);
            WRONG_UNLESS(fabs(found / examples - 1) < 1e-6, "%g examples for an error of %.6g with %g D^%g + %g; with %g it is %.6g", found,
                         target, l[0], l[1], l[2], examples, target);
        }
        for (double below = 0; below <= 1; below += 0.5)
            WRONG_UNLESS(l[2] == 0 || needed_examples(l[0], l[1], l[2], l[2] * below) == INFINITY,
                         "%g examples for an error of %g, where the floor is %g: expected infinity",
                         needed_examples(l[0], l[1], l[2], l[2] * below), l[2] * below, l[2]);
    }
}

void judge_training_days(void *unused)
{
    (void)unused;
    double day = training_days(1e6, 90, 3e9, 1e12, 1);
    WRONG_UNLESS(close_to(day, 3.125), "%g days for 1e6 examples, 90 epochs, 3e9 FLOP each, at 1e12 FLOP/s: expected 3.125", day);
    double shared = training_days(1e6, 90, 3e9, 1e12, 8);
    WRONG_UNLESS(close_to(shared, 3.125 / 8), "%g days on 8 such devices: expected %g", shared, 3.125 / 8);
    double minutes = 1440 * training_days(10 * 86400.0, 1, 1, 1, 1024);
    WRONG_UNLESS(close_to(minutes, 14.0625), "10 device-days on 1,024 devices take %g minutes: expected 14.0625", minutes);
}
