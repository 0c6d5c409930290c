/* 10d_shard_update.c: the check of shard_update, on one rank whose others are played. */
#include "exercise.h"
#include "judge_shard.h"
#include <math.h>

static bool near(double a, double b) { return fabs(a - b) <= 1e-5 * fabs(b) + 1e-6; }

static void judge_one(ZeroStage stage, int P, int rank)
{
    static ShardJudge j;
    const double rate = 0.25;
    judge_open(&j, stage, P, rank, true);
    if (stage == ZERO_3) /* room, so that a call that should not be made can be named */
        j.u.params = unit_new(&j.z, &j.u);
    int buffers = j.buffers;
    for (int k = 0; k < JUDGED_EACH; k++)
        judged_values(&j, j.u.my_grads)[k] = (float)(k + 1);
    shard_update(&j.z, &j.u, rate);
    WRONG_UNLESS(j.reduces == 0, "%s: a reduce-scatter: my_grads is the mean already", j.at);
    for (int k = 0; k < JUDGED_EACH; k++) {
        double old = judged_param(rank, k), expected = old - rate * (k + 1),
               found = judged_values(&j, j.u.my_params)[k];
        WRONG_UNLESS(!near(found, old), "%s: this rank's parameters did not move: unit_sgd", j.at);
        WRONG_UNLESS(near(found, expected), "%s: my_params[%d] is %.9g, expected %.9g%s", j.at, k,
                     found, expected,
                     near(found, old - rate * (k + 1) * 2.5) ? ": two steps, expected one" : "");
    }
    WRONG_UNLESS(j.buffers == buffers, "%s: it takes or frees memory", j.at);
    if (stage == ZERO_3) {
        WRONG_UNLESS(j.gathers == 0,
                     "%s: an all-gather: in stage 3 nobody keeps all parameters; the next forward "
                     "pass gathers them",
                     j.at);
        return;
    }
    WRONG_UNLESS(j.gathers > 0,
                 "%s: no all-gather: in u->params the other ranks' shards are still the old ones",
                 j.at);
    WRONG_UNLESS(j.gathers == 1, "%s: %d all-gathers, expected one", j.at, j.gathers);
    WRONG_UNLESS(j.gathered_own, "%s: it sends something else than u->my_params", j.at);
    for (int k = 0; k < JUDGED_EACH; k++)
        WRONG_UNLESS(!near(j.sent[k], judged_param(rank, k)),
                     "%s: it sends its shard before the step: the others get old parameters", j.at);
    for (int i = 0; i < P * JUDGED_EACH; i++)
        if (i / JUDGED_EACH != rank)
            WRONG_UNLESS(near(judged_values(&j, j.u.params)[i],
                              judged_param(i / JUDGED_EACH, i % JUDGED_EACH)),
                         "%s: params[%d] is not what rank %d has", j.at, i, i / JUDGED_EACH);
}

static void judge(void *unused)
{
    for (int stage = ZERO_1; stage < ZERO_STAGES; stage++)
        for (int rank = 0; rank < 3; rank++)
            judge_one(stage, 3, rank);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "shard_update", 6,
                          "a step on this rank's shard; then, but in stage 3, all ranks' shards",
                          judge);
}
