/* 4_time_per_update.c: the check of time_per_update: exact times, and times with noise. */
#include "exercise.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { MOST = 9 }; /* points */

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1, fabs(b)); }

/* The sum of squared errors, each over seconds^power (1 for relative ones), or over its batch. */
static const double BATCHES = INFINITY;
static double error(double t0, double c, double power, const double *batch, const double *seconds,
                    int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += pow((t0 + c * batch[i] - seconds[i]) /
                       (power == BATCHES ? batch[i] : pow(seconds[i], power)),
                   2);
    return sum;
}

/* Is the error least at (t0, c), against the lines 0.1 % away? */
static bool is_least(double t0, double c, double power, const double *batch, const double *seconds,
                     int n)
{
    double here = error(t0, c, power, batch, seconds, n);
    return here < error(1.001 * t0, c, power, batch, seconds, n) &&
           here < error(0.999 * t0, c, power, batch, seconds, n) &&
           here < error(t0, 1.001 * c, power, batch, seconds, n) &&
           here < error(t0, 0.999 * c, power, batch, seconds, n);
}

static bool on(double t0, double c, double batch, double seconds)
{
    return fabs(t0 + c * batch - seconds) < 1e-6 * seconds;
}

/* Which mistake gives this line through noisy times? NULL: none that is usual. */
static const char *named(double t0, double c, const double *batch, const double *seconds, int n)
{
    double slope = 0, mean_x = 0, mean_y = 0;
    for (int i = 0; i < n; i++) {
        slope += seconds[i] / batch[i] / n;
        mean_x += batch[i] / n;
        mean_y += seconds[i] / n;
    }
    if (is_least(t0, c, 0, batch, seconds, n))
        return "an unweighted fit: the errors must be relative, each divided by its seconds[i]";
    if (is_least(t0, c, 0.5, batch, seconds, n))
        return "weights 1/seconds: the relative errors are squared, so a weight is 1/seconds²";
    if (is_least(t0, c, BATCHES, batch, seconds, n))
        return "weights 1/batch², as in a fit of seconds/batch: a weight is 1/seconds²";
    if (is_least(t0, c, 2, batch, seconds, n) || is_least(t0, c, 1.5, batch, seconds, n))
        return "the weights are too steep: 1/seconds² belongs to an error's square, once";
    if (is_least(t0, c, -1, batch, seconds, n) || is_least(t0, c, -0.5, batch, seconds, n))
        return "the weights are the wrong way round: the long times count most; divide by seconds²";
    if (on(t0, c, batch[0], seconds[0]) && on(t0, c, batch[n - 1], seconds[n - 1]))
        return "the line through the first and the last point: all n must count";
    if (on(t0, c, batch[0], seconds[0]) && on(t0, c, batch[1], seconds[1]))
        return "the line through the first two points: all n must count";
    if (t0 == 0)
        return "a line through 0: t0 is to be fitted, too";
    if (fabs(c - slope) < 1e-6 * slope)
        return "c is the mean of seconds/batch, which has the fixed cost in it: fit both together";
    if (on(t0, c, mean_x, mean_y))
        return "the line goes through the plain means: they need the weights 1/seconds², too";
    return NULL;
}

/* time_per_update(), which must only read its arrays. */
static void fit(double *t0, double *c, const double *batch, const double *seconds, int n)
{
    double kept[2][MOST];
    memcpy(kept[0], batch, n * sizeof *batch);
    memcpy(kept[1], seconds, n * sizeof *seconds);
    time_per_update(t0, c, batch, seconds, n);
    WRONG_UNLESS(!memcmp(kept[0], batch, n * sizeof *batch), "it changed the array batch: only "
                                                             "read it");
    WRONG_UNLESS(!memcmp(kept[1], seconds, n * sizeof *seconds), "it changed the array seconds: "
                                                                 "only read it");
}

/* On exact times. */
static void judge_exact(double *batch, double *seconds, int most)
{
    double t0 = NAN, c = NAN;
    for (int n = most; n >= 2; n--) {
        fit(&t0, &c, batch, seconds, n);
        const char *words =
            close_to(1e3 * t0, 0.5) && close_to(1e3 * c, 4) ? "t0 and c are swapped"
            : close_to(-1e3 * t0, 4)                        ? "the sign of t0 is wrong"
            : close_to(-1e3 * c, 0.5)                       ? "the sign of c is wrong"
            : close_to(c * t0, 8)                           ? "c is 1/c: images per second; it is "
                                                              "seconds per image"
            : isnan(t0) || isnan(c)                         ? "never set, or 0/0"
            : t0 == 0 ? "a line through 0: t0 is to be fitted, too"
            : fabs(1e3 * t0 - 4) < 1e-2 && fabs(1e3 * c - 0.5) < 1e-2
                ? "nearly right: is it in float in place of double, or by an approximation?"
                : named(t0, c, batch, seconds, n);
        WRONG_UNLESS(close_to(1e3 * t0, 4) && close_to(1e3 * c, 0.5),
                     "%s%st0 = %.10g, c = %.10g from %d points that lie on 0.004 + 0.0005 B",
                     words ? words : "", words ? ": " : "", t0, c, n);
    }
}

/* Exact data first; with noise no line near it may fit better. */
static void judge(void *unused)
{
    enum { N = MOST };
    double batch[N], seconds[N], t0 = NAN, c = NAN;
    for (int i = 0; i < N; i++) {
        batch[i] = 1 << i;
        seconds[i] = 0.004 + 0.0005 * batch[i];
    }
    judge_exact(batch, seconds, N);
    Rng r = rng_at(5, RNG_TEST, 0, 0);
    for (int i = 0; i < N; i++)
        seconds[i] *= 1 + 0.1 * rng_normal(&r);
    fit(&t0, &c, batch, seconds, N);
    const char *words = named(t0, c, batch, seconds, N);
    WRONG_UNLESS(is_least(t0, c, 1, batch, seconds, N),
                 "%s%st0 = %g, c = %g: the sum of squared relative errors is %.6g, and less 0.1 %% "
                 "away",
                 words ? words : "", words ? ": " : "", t0, c, error(t0, c, 1, batch, seconds, N));
    for (int i = 0; i < N; i++)
        seconds[i] = -0.001 + 0.002 * batch[i];
    fit(&t0, &c, batch, seconds, N);
    WRONG_UNLESS(close_to(1e3 * t0, -1) && close_to(1e3 * c, 2),
                 "%st0 = %g, c = %g from points on -0.001 + 0.002 B: noise can make t0 negative",
                 t0 >= 0 ? "a negative t0 is changed: leave it so: " : "", t0, c);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "time_per_update", 10,
                          "t0 and c with the least sum of squared relative errors", judge);
}
