/* 2a_interpolate.c: the check of interpolate. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

enum { N = 5 };
static const float from[N] = {1, -2, 0, 3.5f, -100.3f}, to[N] = {5, 2, -1, 3.5f, 0.1f};

static void expect(double t)
{
    float w[N + 2];
    for (int i = 0; i < N + 2; i++)
        w[i] = -77;
    interpolate(w + 1, from, to, N, t);
    WRONG_UNLESS(w[0] == -77 && w[N + 1] == -77, "it writes outside of w [n]");
    bool written = false, swapped = true, added = true;
    for (int i = 0; i < N; i++) {
        written |= w[1 + i] != -77;
        swapped &= fabs(w[1 + i] - (to[i] + t * (from[i] - to[i]))) < 1e-5;
        added &= fabs(w[1 + i] - (from[i] + t * to[i])) < 1e-5;
    }
    WRONG_UNLESS(written, "t = %g: it writes nothing into w", t);
    for (int i = 0; i < N; i++) {
        double expected = from[i] + t * ((double)to[i] - from[i]);
        if (fabs(w[1 + i] - expected) <= 1e-6 * (1 + fabs(from[i]) + fabs(to[i])))
            continue;
        WRONG_UNLESS(!swapped, "t = %g: the other way round: `from` is at t = 0, `to` at t = 1", t);
        WRONG_UNLESS(!added, "t = %g: `to` is added to `from`; the step is to - from", t);
        WRONG_UNLESS(t >= 0 && t <= 1,
                     "t = %g: element %d is %g, expected %g: the line continues "
                     "beyond its ends",
                     t, i, w[1 + i], expected);
        exercise_wrong("t = %g: element %d between %g and %g is %g, expected %g", t, i, from[i],
                       to[i], w[1 + i], expected);
    }
    for (int i = 0; i < N && (t == 0 || t == 1); i++)
        WRONG_UNLESS(w[1 + i] == (t == 0 ? from : to)[i],
                     "t = %g: element %d is %.9g, expected %.9g bit for bit: compute in double", t,
                     i, w[1 + i], (t == 0 ? from : to)[i]);
}

static void judge(void *unused)
{
    static const double at[] = {0.25, 0, 1, 0.5, 0.9, -0.5, 1.5, 2};
    for (int i = 0; i < (int)(sizeof at / sizeof *at); i++)
        expect(at[i]);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "interpolate", 4,
                          "the line from `from` at t = 0 to `to` at t = 1, and beyond", judge);
}
