/* judge_mlp.h: what the checks of 12a to 12c share: an MLP of known numbers, cut over P ranks.
 */
#ifndef JUDGE_MLP_H
#define JUDGE_MLP_H
#include "played_ranks.h"

typedef struct MlpRank {
    MlpShard m;
    float *x, *y, *dx, *dy; /* [T, C], of 12c [T / P, C] */
} MlpRank;
typedef struct MlpJudge {
    int P, T, C, F;
    char where[64]; /* "P = 2, T = 4, C = 3, F = 2" */
    MlpRank rank[PLAYED_RANKS];
} MlpJudge;

/* Every rank's arrays: x, dy and the weights as they should be, the others never written.
 * positions: of x and y on a rank, T or T / P. */
void mlp_open(MlpJudge *j, int P, int T, int C, int F, int positions);
void mlp_close(MlpJudge *j);
/* Runs it on all ranks. */
void mlp_play(MlpJudge *j, PlayedRank *rank);
/* For each rank exercise_values() of the arrays of these names; then the calls, as a fact. */
void mlp_note(const MlpJudge *j, int count, const char *const *names, const int *sizes);
#endif
