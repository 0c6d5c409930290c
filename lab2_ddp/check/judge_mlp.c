/* judge_mlp.c: see judge_mlp.h. */
#include "judge_mlp.h"
#include "check.h"
#include "exercise.h"
#include <string.h>

/* [rows, columns] of a larger matrix of known numbers, from (row, column) on; array < 0: unset. */
static float *part_of(int array, int width, int row, int column, int rows, int columns)
{
    float *v = alloc(rows * columns, sizeof *v);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            v[i * columns + k] = array < 0 ? (float)EXERCISE_UNSET
                                           : played_number(array, (row + i) * width + column + k);
    return v;
}

void mlp_open(MlpJudge *j, int P, int T, int C, int F, int positions)
{
    *j = (MlpJudge){.P = P, .T = T, .C = C, .F = F};
    snprintf(j->where, sizeof j->where, "P = %d, T = %d, C = %d, F = %d", P, T, C, F);
    for (int r = 0; r < P; r++) {
        int first = positions < T ? r * positions : 0;
        j->rank[r] = (MlpRank){.m = {.T = T,
                                     .C = C,
                                     .F = F,
                                     .w1 = part_of(1, C, r * F, 0, F, C),
                                     .w2 = part_of(2, P * F, 0, r * F, C, F),
                                     .inner = part_of(-1, F, 0, 0, T, F),
                                     .active = part_of(-1, F, 0, 0, T, F),
                                     .dw1 = part_of(-1, C, 0, 0, F, C),
                                     .dw2 = part_of(-1, F, 0, 0, C, F)},
                               .x = part_of(0, C, first, 0, positions, C),
                               .y = part_of(-1, C, 0, 0, positions, C),
                               .dx = part_of(-1, C, 0, 0, positions, C),
                               .dy = part_of(3, C, 0, 0, positions, C)};
    }
}

void mlp_close(MlpJudge *j)
{
    for (int r = 0; r < j->P; r++) {
        MlpRank *k = &j->rank[r];
        free((void *)k->m.w1), free((void *)k->m.w2), free(k->m.inner), free(k->m.active);
        free(k->m.dw1), free(k->m.dw2), free(k->x), free(k->y), free(k->dx), free(k->dy);
    }
}

void mlp_play(MlpJudge *j, PlayedRank *rank)
{
    played_run(j->P, rank, j, j->where);
    exercise_group(j->P == 1 ? "P = 1" : NULL);
}

static const float *array_of(const MlpRank *k, const char *name)
{
    const struct {
        const char *name;
        const float *v;
    } all[] = {{"y", k->y},       {"dx", k->dx},    {"inner", k->m.inner}, {"active", k->m.active},
               {"dw1", k->m.dw1}, {"dw2", k->m.dw2}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name))
            return all[i].v;
    return NULL;
}

void mlp_note(const MlpJudge *j, int count, const char *const *names, const int *sizes)
{
    for (int r = 0; r < j->P; r++) {
        exercise_case("%s, rank %d", j->where, r);
        for (int k = 0; k < count; k++)
            exercise_values(names[k], array_of(&j->rank[r], names[k]), sizes[k]);
    }
    exercise_fact("the calls between ranks (1 all-reduce, 2 reduce-scatter, 3 all-gather)",
                  played_calls());
}
