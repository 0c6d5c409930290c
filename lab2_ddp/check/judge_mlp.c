/* judge_mlp.c: see judge_mlp.h. */
#include "judge_mlp.h"
#include "check.h"
#include "exercise.h"
#include <string.h>

/* [rows, columns] of a larger matrix of known numbers, from (row, column) on; array < 0: unset. One
 * number more stands behind it. */
static float *part_of(int array, int width, int row, int column, int rows, int columns)
{
    float *v = alloc(rows * columns + 1, sizeof *v);
    v[rows * columns] = PLAYED_BEHIND;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            v[i * columns + k] = array < 0 ? (float)EXERCISE_UNSET
                                           : played_number(array, (row + i) * width + column + k);
    return v;
}

static MlpRank rank_new(int P, int r, int T, int C, int F, int positions)
{
    int first = positions < T ? r * positions : 0;
    return (MlpRank){.m = {.T = T,
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

static void rank_free(MlpRank *k)
{
    free((void *)k->m.w1), free((void *)k->m.w2), free(k->m.inner), free(k->m.active);
    free(k->m.dw1), free(k->m.dw2), free(k->x), free(k->y), free(k->dx), free(k->dy);
}

/* What it was given is still there. */
static void expect_same(const MlpRank *k, const MlpRank *given, int positions, const char *where)
{
    int C = k->m.C, weights = k->m.F * C;
    const struct {
        const char *name;
        const float *v, *was;
        int n;
    } all[] = {{"x", k->x, given->x, positions * C},
               {"dy", k->dy, given->dy, positions * C},
               {"w1", k->m.w1, given->m.w1, weights},
               {"w2", k->m.w2, given->m.w2, weights}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        WRONG_UNLESS(!memcmp(all[i].v, all[i].was, ((size_t)all[i].n + 1) * sizeof(float)),
                     "%s: it changes %s", where, all[i].name);
}

static void note_array(const MlpRank *k, int positions, const char *name, const char *where)
{
    int T = k->m.T, C = k->m.C, F = k->m.F;
    const struct {
        const char *name;
        const float *v;
        int n;
    } all[] = {{"y", k->y, positions * C},   {"dx", k->dx, positions * C},
               {"inner", k->m.inner, T * F}, {"active", k->m.active, T * F},
               {"dw1", k->m.dw1, F * C},     {"dw2", k->m.dw2, C * F}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(all[i].name, name)) {
            WRONG_UNLESS(all[i].v[all[i].n] == PLAYED_BEHIND, "%s: it writes past %s [%d]", where,
                         name, all[i].n);
            exercise_values(all[i].name, all[i].v, all[i].n);
        }
}

void mlp_judge(PlayedRank *run, bool positions_cut, const char *const *names)
{
    static const int asked[][4] = {{1, 1, 1, 1}, {1, 2, 3, 2}, {2, 2, 1, 1},
                                   {2, 4, 3, 2}, {3, 6, 2, 1}, {4, 4, 5, 3}};
    exercise_tolerance(1e-5, 1e-5);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        int P = asked[i][0], T = asked[i][1], C = asked[i][2], F = asked[i][3];
        int positions = positions_cut ? T / P : T;
        MlpRank rank[PLAYED_RANKS];
        char where[64];
        snprintf(where, sizeof where, "P = %d, T = %d, C = %d, F = %d", P, T, C, F);
        for (int r = 0; r < P; r++)
            rank[r] = rank_new(P, r, T, C, F, positions);
        played_run(P, run, rank, where);
        exercise_group(P == 1 ? "P = 1" : NULL);
        for (int r = 0; r < P; r++) {
            MlpRank given = rank_new(P, r, T, C, F, positions);
            expect_same(&rank[r], &given, positions, where);
            rank_free(&given);
            exercise_case("%s, rank %d", where, r);
            for (int k = 0; names[k]; k++)
                note_array(&rank[r], positions, names[k], where);
            rank_free(&rank[r]);
        }
        exercise_fact("the calls between ranks (1 all-reduce, 2 reduce-scatter, 3 all-gather)",
                      played_calls());
    }
}
