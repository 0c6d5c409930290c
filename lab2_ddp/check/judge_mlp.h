/* judge_mlp.h: what the checks of 12a to 12c share: an MLP of known numbers, cut over P ranks.
 */
#ifndef JUDGE_MLP_H
#define JUDGE_MLP_H
#include "played_ranks.h"

typedef struct MlpRank {
    MlpShard m;
    float *x, *y, *dx, *dy; /* [T, C]; where the positions are cut [T / P, C] */
} MlpRank;

/* On 1 to 4 ranks `run`, whose context is MlpRank[P]: x, dy and the weights are known numbers, the
 * other arrays were never written. Then each rank's arrays of these names, which NULL ends, and the
 * calls. */
void mlp_judge(PlayedRank *run, bool positions_cut, const char *const *names);
#endif
