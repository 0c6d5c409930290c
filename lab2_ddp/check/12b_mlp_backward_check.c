/* 12b_mlp_backward_check.c: the check of mlp_backward, from inner numbers as good as any. */
#include "exercise.h"
#include "judge_mlp.h"

static void run(Split *s, void *judge)
{
    MlpRank *k = &((MlpJudge *)judge)->rank[s->rank];
    for (int i = 0; i < k->m.T * k->m.F; i++) {
        k->m.inner[i] = 2 * played_number(4 + s->rank, i);
        k->m.active[i] = played_number(8 + s->rank, i);
    }
    mlp_backward(s, &k->m, k->dx, k->dy, k->x);
}

static void judge(void *unused)
{
    static const int asked[][4] = {{1, 1, 1, 1}, {1, 2, 3, 2}, {2, 1, 1, 1},
                                   {2, 2, 3, 2}, {3, 4, 2, 3}, {4, 3, 5, 1}};
    static const char *const names[] = {"dw2", "dw1", "dx"};
    exercise_tolerance(1e-5, 1e-5);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const int *a = asked[i];
        MlpJudge j;
        mlp_open(&j, a[0], a[1], a[2], a[3], a[1]);
        mlp_play(&j, run);
        mlp_note(&j, 3, names, (int[]){a[2] * a[3], a[3] * a[2], a[1] * a[2]});
        mlp_close(&j);
    }
}

const ExerciseCheck exercise_check = {__FILE__, "mlp_backward", 6,
                                      "this rank's gradients, and dx summed over the ranks", judge};
