/* 6a_efficiency_check.c: the check of efficiency. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    static const struct {
        const char *what, *group;
        int P;
        UpdateWork work;
        Link link;
    } asked[] = {
        {"1 bucket", "one bucket", 4, {0.1, 0.3, 2e7, 1}, {1e8, 1e-3}},
        {"5 buckets, a slow network", "a slow network", 4, {0.1, 0.25, 2e7, 5}, {1e6, 1e-3}},
        {"5 buckets, a fast network", "a fast network", 4, {0.1, 0.25, 2e7, 5}, {1e9, 1e-6}},
        {"5 buckets", NULL, 3, {0.1, 0.25, 2e7, 5}, {1.5e8, 1e-2}},
        {"7 buckets", NULL, 40, {0.2, 0.7, 3e7, 7}, {1e8, 1e-2}},
        {"4 buckets, no backward pass to hide behind", NULL, 8, {0.4, 0, 2e7, 4}, {1e8, 1e-3}},
        {"1 rank", "P = 1", 1, {0.1, 0.3, 2e7, 1}, {1e8, 1e-3}},
        {"1 rank", "P = 1", 1, {0.1, 0.3, 2e7, 4}, {1e8, 1e-3}},
    };
    for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
        UpdateWork w = asked[k].work;
        exercise_group(asked[k].group);
        exercise_case("%s (P = %d, %g + %g s, %g bytes, latency %g s, %g bytes/s)", asked[k].what,
                      asked[k].P, w.forward, w.backward, w.bytes, asked[k].link.latency,
                      asked[k].link.bandwidth);
        exercise_value("the efficiency", efficiency(asked[k].P, w, asked[k].link));
    }
}

const ExerciseCheck exercise_check = {__FILE__, "efficiency", 6,
                                      "the share of an update that computes, to 1e-9", judge};
