/* 7a_needed_examples.c: the check of needed_examples. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <stddef.h>

static void judge(void *unused)
{
    static const double laws[][3] = {{2, -0.5, 0}, {2, -0.5, 0.05}, {1.3, -0.31, 0.1}};
    for (int i = 0; i < 3; i++) {
        const double *l = laws[i];
        for (double examples = 10; examples < 1e7; examples *= 7) {
            double target = l[0] * pow(examples, l[1]) + l[2],
                   found = needed_examples(l[0], l[1], l[2], target);
            WRONG_UNLESS(fabs(found / examples - 1) < 1e-6,
                         "%g examples for an error of %.6g with %g D^%g + %g; with %g it is %.6g",
                         found, target, l[0], l[1], l[2], examples, target);
        }
        for (double below = 0; below <= 1; below += 0.5)
            WRONG_UNLESS(l[2] == 0 || needed_examples(l[0], l[1], l[2], l[2] * below) == INFINITY,
                         "%g examples for an error of %g, but gamma is %g: expected INFINITY",
                         needed_examples(l[0], l[1], l[2], l[2] * below), l[2] * below, l[2]);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "needed_examples", 5,
                          "the power law inverted, to 1e-6; INFINITY at gamma and below", judge);
}
