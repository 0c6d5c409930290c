/* 7a_verdict.c: the check of verdict. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static const char *const words[] = {"VERDICT_NONE", "VERDICT_HOLDS", "VERDICT_HARMS"};

static void expect(Verdict expected, const double *a, int n, const double *b, int m,
                   const char *what)
{
    Verdict found = verdict(a, n, b, m);
    WRONG_UNLESS(found == expected, "%s: %s, expected %s", what,
                 found <= VERDICT_HARMS ? words[found] : "no verdict", words[expected]);
}
#define CASE(expected, a, n, b, m, what) expect(expected, (double[])a, n, (double[])b, m, what)
#define OF(...) \
    { \
        __VA_ARGS__ \
    }

static void judge(void *unused)
{
    CASE(VERDICT_HOLDS, OF(0.83, 0.81, 0.82), 3, OF(0.8, 0.7, 0.79), 3,
         "all three above all three");
    CASE(VERDICT_HARMS, OF(0.7, 0.6, 0.65), 3, OF(0.8, 0.75, 0.9), 3, "all three below all three");
    CASE(VERDICT_NONE, OF(0.9, 0.91, 0.70), 3, OF(0.8, 0.79, 0.78), 3,
         "better in the mean and in the median, but the ranges overlap");
    CASE(VERDICT_NONE, OF(0.79, 0.95, 0.96), 3, OF(0.8, 0.78, 0.79), 3,
         "better in the mean and in the median, but the ranges overlap");
    CASE(VERDICT_NONE, OF(0.5, 0.51, 0.79), 3, OF(0.78, 0.8, 0.79), 3,
         "worse in the median, but the ranges overlap");
    CASE(VERDICT_NONE, OF(0.81, 0.9), 2, OF(0.8, 0.85), 2,
         "each above the same seed of the baseline, but the ranges overlap");
    CASE(VERDICT_NONE, OF(0.8, 0.9), 2, OF(0.8, 0.7), 2, "the ranges touch");
    CASE(VERDICT_NONE, OF(0.7, 0.6), 2, OF(0.8, 0.7), 2, "the ranges touch");
    CASE(VERDICT_HOLDS, OF(0.9), 1, OF(0.8, 0.85, 0.7), 3, "one seed against three");
    CASE(VERDICT_HARMS, OF(0.1, 0.9, 0.2, 0.3), 4, OF(0.95), 1, "four seeds against one");
    CASE(VERDICT_NONE, OF(0.9, NAN, 0.91), 3, OF(0.8, 0.79, 0.78), 3,
         "a training with the remedy diverged (NaN): that is its lowest");
    CASE(VERDICT_NONE, OF(NAN, 0.9, 0.91), 3, OF(0.8, 0.79, 0.78), 3,
         "a training with the remedy diverged (NaN): that is its lowest");
    CASE(VERDICT_HARMS, OF(NAN, NAN), 2, OF(0.1, 0.2), 2, "all with the remedy diverged (NaN)");
    CASE(VERDICT_HOLDS, OF(0.1, 0.2), 2, OF(NAN, NAN), 2, "all of the baseline diverged (NaN)");
    CASE(VERDICT_NONE, OF(NAN, NAN), 2, OF(NAN, NAN), 2, "all of both diverged (NaN)");
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "verdict", 4,
                          "holds or harms where the ranges do not touch, else none", judge);
}
