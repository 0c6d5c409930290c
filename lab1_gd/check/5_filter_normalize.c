/* 5_filter_normalize.c: the check of filter_normalize. */
#include "exercise.h"
#include "lab1.h"
#include "rng.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

static double length(const float *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)v[i] * v[i];
    return sqrt(sum);
}

/* Filters of very different lengths; one filter of w and one of d all zeros; a guard element behind
 * the end. */
static void judge(void *unused)
{
    enum { FILTERS = 5, SIZE = 27, ALL = FILTERS * SIZE };
    float d[ALL + 1], w[ALL], before[ALL + 1];
    Rng r = rng_at(3, RNG_TEST, 0, 0);
    for (int i = 0; i < ALL; i++) {
        int f = i / SIZE;
        d[i] = f == 3 ? 0 : rng_normal(&r) * (f + 1);
        w[i] = f == 2 ? 0 : rng_normal(&r) * powf(10, (float)(f - 2));
    }
    d[ALL] = 7;
    memcpy(before, d, sizeof d);
    filter_normalize(d, w, FILTERS, SIZE);
    for (int f = 0; f < FILTERS; f++) {
        const float *now = d + f * SIZE, *old = before + f * SIZE;
        double got = length(now, SIZE), want = f == 3 ? 0 : length(w + f * SIZE, SIZE),
               scale = f == 3 ? 0 : want / length(old, SIZE);
        WRONG_UNLESS(fabs(got - want) <= 1e-5 * want + 1e-12,
                     "filter %d of d has length %.6g, expected %.6g%s", f, got, want,
                     f == 3 ? " (it was all zeros)" : "");
        for (int i = 0; i < SIZE; i++)
            WRONG_UNLESS(fabs(now[i] - scale * old[i]) <= 1e-5 * fabs(scale * old[i]) + 1e-12,
                         "filter %d changed its direction: element %d was %.6g and became %.6g, "
                         "expected %.6g",
                         f, i, old[i], now[i], scale * old[i]);
    }
    WRONG_UNLESS(d[ALL] == 7, "it wrote beyond the %d filters of %d elements", FILTERS, SIZE);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "filter_normalize", 10,
                          "each filter of d as long as the same filter of w, to 1e-5, relative",
                          judge);
}
