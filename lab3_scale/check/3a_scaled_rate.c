/* 3a_scaled_rate.c: the check of scaled_rate. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static const char *const names[] = {"SCALE_NONE", "SCALE_ROOT", "SCALE_LINEAR"};

static void judge(void *unused)
{
    static const double ks[] = {16, 1, 4, 2, 0.25, 1000};
    for (int rule = 0; rule < SCALE_RULES; rule++)
        for (int i = 0; i < (int)(sizeof ks / sizeof *ks); i++) {
            double k = ks[i], rate = 0.03, found = scaled_rate((ScaleRule)rule, rate, k),
                   by[] = {1, sqrt(k), k};
            if (fabs(found - rate * by[rule]) <= 1e-9 * rate * by[rule])
                continue;
            for (int other = 0; other < SCALE_RULES; other++)
                WRONG_UNLESS(fabs(found - rate * by[other]) > 1e-9,
                             "%s, k = %g: %g, which is %s's; expected %g", names[rule], k, found,
                             names[other], rate * by[rule]);
            WRONG_UNLESS(fabs(found - rate / by[rule]) > 1e-9,
                         "%s, k = %g: %g: the rate grows with the batch, it does not fall",
                         names[rule], k, found);
            WRONG_UNLESS(fabs(found - by[rule]) > 1e-9,
                         "%s, k = %g: %g: the factor alone, without "
                         "the rate",
                         names[rule], k, found);
            WRONG_UNLESS(k >= 1,
                         "%s, k = %g: %g, expected %g: a smaller batch wants a smaller rate",
                         names[rule], k, found, rate * by[rule]);
            exercise_wrong("%s, rate %g, k = %g: %g, expected %g", names[rule], rate, k, found,
                           rate * by[rule]);
        }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "scaled_rate", 3, "the rate, times 1, the root of k, or k",
                          judge);
}
