/* 10a_rank_costs_check.c: the check of rank_costs. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    static const struct {
        const char *layers;
        int units, count[4];
    } nets[] = {{"3", 1, {3}},
                {"3, 7, 12", 3, {3, 7, 12}},
                {"3, 7, 12, 5", 4, {3, 7, 12, 5}},
                {"700000001, 6", 2, {700000001, 6}}};
    enum { NET, P, STATES, MICRO };
    static const int asked[][4] = {{0, 3, 0, 1}, {0, 3, 1, 1},  {0, 1, 1, 1},
                                   {0, 4, 2, 1}, {1, 2, 2, 1},  {2, 4, 1, 2},
                                   {2, 8, 2, 3}, {2, 16, 3, 5}, {3, 4, 2, 2}};
    static const char *const stages[] = {"stage 0", "stage 1", "stage 2", "stage 3"};
    for (int stage = ZERO_0; stage < ZERO_STAGES; stage++) {
        exercise_group(stages[stage]);
        for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++) {
            const int *a = asked[k];
            RankCosts c = rank_costs(stage, a[P], nets[a[NET]].count, nets[a[NET]].units, a[STATES],
                                     a[MICRO]);
            exercise_case("%s, P = %d, layers of %s, %d state vector%s, micro = %d", stages[stage],
                          a[P], nets[a[NET]].layers, a[STATES], a[STATES] == 1 ? "" : "s",
                          a[MICRO]);
            exercise_value("params", c.params);
            exercise_value("grads", c.grads);
            exercise_value("state", c.state);
            exercise_value("wire", c.wire);
        }
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "rank_costs", 6, "bytes of parameters, gradients, state, and sent, at each stage",
    judge};
