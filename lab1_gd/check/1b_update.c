/* 1b_update.c: the check of update. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-6 + 1e-6 * fabs(b); }

static void judge(void *unused)
{
    double w = 1, b = -2;
    update(&w, &b, 4, -6, 0.25);
    WRONG_UNLESS(close_to(w, 0) && close_to(b, -0.5),
                 "w = 1, b = -2, dw = 4, db = -6, rate 0.25 gave (%g, %g), expected (0, -0.5)", w,
                 b);
    update(&w, &b, 100, 100, 0);
    WRONG_UNLESS(close_to(w, 0) && close_to(b, -0.5), "a rate of 0 moved (w, b) to (%g, %g)", w, b);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "update", 5, "w - rate dw and b - rate db, to 1e-6", judge);
}
