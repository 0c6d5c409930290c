/* 12e_split_seconds_check.c: the check of split_seconds. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    static const char *const names[] = {"SPLIT_DATA", "SPLIT_TENSOR", "SPLIT_SEQUENCE",
                                        "SPLIT_CONTEXT"};
    static const struct {
        int P;
        BlockWork work;
        Link link;
    } asked[] = {{1, {0.3, 3e6, 4e6}, {1e8, 1e-3}},
                 {2, {0.3, 3e6, 4e6}, {1e8, 0}},
                 {2, {0.3, 3e6, 4e6}, {1e8, 1e-3}},
                 {3, {0.9, 5e7, 1e6}, {1e9, 1e-4}},
                 {8, {2, 1e6, 8e7}, {1e9, 5e-5}}};
    for (int kind = 0; kind < SPLIT_KINDS; kind++)
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            BlockWork w = asked[i].work;
            exercise_group(asked[i].P == 1 ? "P = 1" : names[kind]);
            exercise_case("%s, P = %d, compute %g s, weights %g bytes, activation %g bytes, "
                          "%g bytes/s, latency %g s",
                          names[kind], asked[i].P, w.compute, w.weights, w.activation,
                          asked[i].link.bandwidth, asked[i].link.latency);
            exercise_value("seconds", split_seconds((SplitKind)kind, asked[i].P, w, asked[i].link));
        }
}

const ExerciseCheck exercise_check = {__FILE__, "split_seconds", 5,
                                      "computing / P and what is sent, to 1e-9", judge};
