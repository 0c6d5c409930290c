/* 12c_mlp_forward_sequence_check.c: the check of mlp_forward_sequence. */
#include "exercise.h"
#include "judge_mlp.h"

static void run(Split *s, void *judge)
{
    MlpRank *k = &((MlpJudge *)judge)->rank[s->rank];
    mlp_forward_sequence(s, &k->m, k->y, k->x);
}

static void judge(void *unused)
{
    static const int asked[][4] = {{1, 1, 1, 1}, {1, 2, 3, 2}, {2, 2, 1, 1},
                                   {2, 4, 3, 2}, {3, 6, 2, 1}, {4, 4, 5, 3}};
    static const char *const names[] = {"inner", "active", "y"};
    exercise_tolerance(1e-5, 1e-5);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const int *a = asked[i];
        MlpJudge j;
        mlp_open(&j, a[0], a[1], a[2], a[3], a[1] / a[0]);
        mlp_play(&j, run);
        mlp_note(&j, 3, names, (int[]){a[1] * a[3], a[1] * a[3], a[1] / a[0] * a[2]});
        mlp_close(&j);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "mlp_forward_sequence", 5,
    "this rank's positions of the output, by an all-gather and a reduce-scatter", judge};
