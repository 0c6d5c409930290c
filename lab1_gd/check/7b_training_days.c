/* 7b_training_days.c: the check of training_days. */
#include "exercise.h"
#include "lab1.h"

typedef struct Asked {
    double examples, epochs, flop, flop_per_second, devices, days;
} Asked;

#define MISTAKE(name, factor) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        __attribute__((unused)) const Asked *k = asked; \
        out[0] = right[0] * (factor); \
    }
MISTAKE(hours, 24)
MISTAKE(minutes, 1440)
MISTAKE(seconds, 86400)
MISTAKE(hour_short, 60)
MISTAKE(weeks, 1 / 7.0)
MISTAKE(devices_ignored, k->devices)
MISTAKE(devices_times, k->devices * k->devices)
MISTAKE(epochs_ignored, 1 / k->epochs)
MISTAKE(epochs_over, 1 / (k->epochs * k->epochs))
MISTAKE(examples_ignored, 1 / k->examples)
MISTAKE(flop_ignored, 1 / k->flop)
MISTAKE(rate_ignored, k->flop_per_second)
MISTAKE(rate_times, k->flop_per_second * k->flop_per_second)
MISTAKE(hours_of_one, 24 * k->devices)
MISTAKE(three_passes, 3)
static void upside_down(double *out, const double *right, const void *asked)
{
    out[0] = 1 / right[0];
}

static const Mistake mistakes[] = {
    {"hours for days: a day has 86,400 seconds, an hour 3,600", hours},
    {"minutes for days: a day has 86,400 seconds, a minute 60", minutes},
    {"seconds for days: divide by 86,400", seconds},
    {"a day of 24 × 60 seconds: it has 24 × 60 × 60", hour_short},
    {"weeks for days", weeks},
    {"devices are ignored: N of them take an N-th of the time", devices_ignored},
    {"it multiplies by devices: N of them take an N-th of the time", devices_times},
    {"epochs are ignored: each goes over all examples", epochs_ignored},
    {"it divides by epochs: each goes over all examples again", epochs_over},
    {"examples are ignored", examples_ignored},
    {"flop_per_example is ignored", flop_ignored},
    {"flop_per_second is ignored: operations / (operations per second) = seconds", rate_ignored},
    {"it multiplies by flop_per_second: divide, operations / (operations per second) = seconds",
     rate_times},
    {"hours for days, and devices are ignored", hours_of_one},
    {"three times too long: flop_per_example has the backward pass in it, or days of 8 hours?",
     three_passes},
    {"it is upside down: operations over operations per second", upside_down},
    {0}};

static void judge(void *unused)
{
    static const Asked asked[] = {{1e6, 90, 3e9, 1e12, 1, 3.125},
                                  {1e6, 90, 3e9, 1e12, 8, 3.125 / 8},
                                  {864e3, 7, 5, 11, 13, 7 * 50 / 143.0},
                                  {1e9, 10, 86400e3, 1e12, 4, 2.5}, /* beyond an int */
                                  {10 * 86400.0, 1, 1, 1, 1024, 10 / 1024.0}};
    enum { CASES = sizeof asked / sizeof *asked };
    ExerciseCase cases[CASES];
    for (int i = 0; i < CASES; i++) {
        const Asked *k = &asked[i];
        cases[i] = (ExerciseCase){.asked = k, .right = {k->days}};
        exercise_tell(&cases[i], "%g examples, %g epochs, %g FLOP each, %g FLOP/s, %g devices",
                      k->examples, k->epochs, k->flop, k->flop_per_second, k->devices);
        cases[i].found[0] = training_days(k->examples, k->epochs, k->flop, k->flop_per_second,
                                          k->devices);
    }
    exercise_judge(&(ExerciseQuestion){.names = {"the result in days"},
                                       .relative = 1e-9,
                                       .mistakes = mistakes},
                   cases, CASES);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "training_days", 5,
                          "examples x epochs x FLOP, over devices x FLOP/s, in days", judge);
}
