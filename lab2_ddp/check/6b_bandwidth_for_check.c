/* 6b_bandwidth_for_check.c: the check of bandwidth_for. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    static const struct {
        const char *what;
        int P;
        double forward, backward, bytes, latency, wanted;
    } asked[] = {
        {"no latency", 2, 0.025, 0.075, 1e7, 0, 0.5},
        {"no latency", 4, 0.025, 0.075, 1e7, 0, 0.8},
        {"as fast as one rank", 8, 0.025, 0.075, 1e7, 0, 1 / 8.},
        {"a latency", 8, 0.025, 0.075, 1e7, 1e-3, 0.5},
        {"a latency", 8, 0.5, 1.5, 3e8, 0.01, 0.9},
        {"P is no power of two", 3, 0.025, 0.075, 1e7, 1e-3, 0.5},
        {"P is no power of two", 37, 0.025, 0.075, 1e7, 2e-3, 0.6},
        {"two latencies per round take too long, one does not", 8, 0.025, 0.075, 1e4, 0.03, 0.5},
        {"recursive doubling needs less bandwidth", 8, 0.025, 0.075, 1e4, 0.015, 0.5},
        {"the latency alone takes too long", 8, 0.025, 0.075, 1e7, 0.05, 0.5},
        {"the latency alone takes exactly the time allowed", 2, 0.25, 0.25, 1e7, 0.5, 0.5},
        {"one rank", 1, 0.025, 0.075, 1e7, 1e-3, 0.5},
    };
    exercise_tolerance(0, 1e-9);
    for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
        UpdateWork work = {asked[k].forward, asked[k].backward, asked[k].bytes, 7};
        exercise_group(asked[k].P == 1 ? "P = 1" : asked[k].latency == 0 ? "latency 0" : NULL);
        exercise_case("%s (P = %d, %g + %g s, %g bytes, latency %g s, wanted %g)", asked[k].what,
                      asked[k].P, work.forward, work.backward, work.bytes, asked[k].latency,
                      asked[k].wanted);
        exercise_value("the bandwidth",
                       bandwidth_for(asked[k].P, work, asked[k].latency, asked[k].wanted));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "bandwidth_for", 4,
                                      "the least bandwidth for an efficiency, to 1e-9", judge};
