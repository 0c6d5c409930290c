/* 4_time_per_update.c: the check of time_per_update: exact times, and times with noise. */
#include "exercise.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <stddef.h>

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1, fabs(b)); }

static double relative_error(double t0, double c, const double *batch, const double *seconds, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pow((t0 + c * batch[i] - seconds[i]) / seconds[i], 2);
    return sum;
}

/* Exact data first; with noise no line near it may fit better. */
static void judge(void *unused)
{
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
        double other = relative_error(t0 * (i == 0   ? 1.001
                                            : i == 1 ? 0.999
                                                     : 1),
                                      c * (i == 2   ? 1.001
                                           : i == 3 ? 0.999
                                                    : 1),
                                      batch, seconds, N);
        WRONG_UNLESS(
            found < other,
            "t0 = %g, c = %g: the sum of squared relative errors is %.6g; 0.1 %% away it is %.6g",
            t0, c, found, other);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "time_per_update", 10,
        "fixed cost and cost per image, with the least sum of squared relative errors", judge);
}
