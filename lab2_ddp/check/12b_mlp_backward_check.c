/* 12b_mlp_backward_check.c: the check of mlp_backward. Any inner numbers will do. */
#include "exercise.h"
#include "judge_mlp.h"

static void run(Split *s, void *ranks)
{
    MlpRank *k = &((MlpRank *)ranks)[s->rank];
    for (int i = 0; i < k->m.T * k->m.F; i++) {
        k->m.inner[i] = 2 * played_number(4 + s->rank, i);
        k->m.active[i] = played_number(8 + s->rank, i);
    }
    mlp_backward(s, &k->m, k->dx, k->dy, k->x);
}

static void judge(void *unused)
{
    static const char *const names[] = {"dw2", "dw1", "dx", NULL};
    mlp_judge(run, false, names);
}

const ExerciseCheck exercise_check = {__FILE__, "mlp_backward", 6,
                                      "this rank's gradients, and dx summed over the ranks", judge};
