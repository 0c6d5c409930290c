/* 12c_mlp_forward_sequence_check.c: the check of mlp_forward_sequence. */
#include "exercise.h"
#include "judge_mlp.h"

static void run(Split *s, void *ranks)
{
    MlpRank *k = &((MlpRank *)ranks)[s->rank];
    mlp_forward_sequence(s, &k->m, k->y, k->x);
}

static void judge(void *unused)
{
    static const char *const names[] = {"inner", "active", "y", NULL};
    mlp_judge(run, true, names);
}

const ExerciseCheck exercise_check = {
    __FILE__, "mlp_forward_sequence", 5,
    "this rank's positions of the output, by an all-gather and a reduce-scatter", judge};
