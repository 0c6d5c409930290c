/* 7b_training_days.c: the check of training_days. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1, fabs(b)); }

static void judge(void *unused)
{
    double day = training_days(1e6, 90, 3e9, 1e12, 1);
    WRONG_UNLESS(
        close_to(day, 3.125),
        "%g days for 1e6 examples, 90 epochs, 3e9 FLOP each, at 1e12 FLOP/s: expected 3.125", day);
    double eight = training_days(1e6, 90, 3e9, 1e12, 8);
    WRONG_UNLESS(close_to(eight, 3.125 / 8), "%g days on 8 such devices: expected %g", eight,
                 3.125 / 8);
    double minutes = 1440 * training_days(10 * 86400.0, 1, 1, 1, 1024);
    WRONG_UNLESS(close_to(minutes, 14.0625),
                 "10 device-days on 1,024 devices take %g minutes: expected 14.0625", minutes);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "training_days", 5,
                          "examples x epochs x FLOP, over devices x FLOP/s, in days", judge);
}
