/* 12a_mlp_forward_check.c: the check of mlp_forward. */
#include "exercise.h"
#include "judge_mlp.h"

static void run(Split *s, void *ranks)
{
    MlpRank *k = &((MlpRank *)ranks)[s->rank];
    mlp_forward(s, &k->m, k->y, k->x);
}

static void judge(void *unused)
{
    static const char *const names[] = {"inner", "active", "y", NULL};
    mlp_judge(run, false, names);
}

const ExerciseCheck exercise_check = {__FILE__, "mlp_forward", 5,
                                      "the whole MLP's output on every rank, by one all-reduce",
                                      judge};
