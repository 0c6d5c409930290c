/* 8a_step_seconds_check.c: the check of step_seconds: one cost at a time, then all at once. */
#include "exercise.h"
#include "lab3.h"

static void ask(const char *what, Cluster c)
{
    exercise_case("%s: %d devices, %d per machine", what, c.devices, c.per_node);
    exercise_value("the time", step_seconds(&c));
}

static void judge(void *unused)
{
    static const int devices[] = {1, 2, 4, 5, 8, 12, 30, 1536}, per_node[] = {1, 4, 16};
    ask("no network costs", (Cluster){8, 1, .compute = 3});
    ask("nothing to exchange", (Cluster){1, 8, 3, 1e6, 1, 1, 1, 1, 0, false});
    ask("latency alone", (Cluster){5, 1, .alpha = 1});
    ask("bytes alone", (Cluster){4, 1, .bytes = 8, .beta = 1});
    ask("alpha 1, alpha_in 10, flat", (Cluster){4, 4, .alpha = 1, .alpha_in = 10});
    ask("alpha 1, alpha_in 10, flat", (Cluster){8, 4, .alpha = 1, .alpha_in = 10});
    ask("bytes 8, beta 1, beta_in 10, flat", (Cluster){8, 4, .bytes = 8, .beta = 1, .beta_in = 10});
    ask("alpha_in 10, hierarchical", (Cluster){8, 4, .alpha_in = 10, .hierarchical = true});
    ask("alpha 1, hierarchical", (Cluster){8, 4, .alpha = 1, .hierarchical = true});
    ask("alpha 1, hierarchical", (Cluster){9, 4, .alpha = 1, .hierarchical = true});
    ask("bytes 8, beta_in 1, hierarchical",
        (Cluster){8, 4, .bytes = 8, .beta_in = 1, .hierarchical = true});
    ask("bytes 8, beta 1, hierarchical",
        (Cluster){8, 4, .bytes = 8, .beta = 1, .hierarchical = true});
    ask("overlap 0.5 of 4 s, exchange 3 s", (Cluster){2, 1, 4, 3, .beta = 1, .overlap = 0.5});
    ask("overlap 0.5 of 4 s, exchange 1 s", (Cluster){2, 1, 4, 1, .beta = 1, .overlap = 0.5});
    for (int i = 0; i < 24; i++) {
        Cluster c = {devices[i / 3], per_node[i % 3], 0.2, 1e8, 2e-5, 1e-9, 3e-6,
                     1e-10,          .overlap = 0.25};
        ask("flat", c);
        c.hierarchical = true;
        ask("hierarchical", c);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "step_seconds", 6,
    "flat and hierarchical rings, overlap; 1 to 1,536 devices, to 1e-9", judge};
