/* 10c_shard_reduce.c: the check of shard_reduce, on one rank whose others are played. */
#include "exercise.h"
#include "judge_shard.h"
#include <math.h>

static bool near(double a, double b) { return fabs(a - b) <= 1e-5 * fabs(b) + 1e-6; }

static const char *hint(double found, double own, double sum, int P)
{
    if (near(found, sum))
        return ": the sum over the ranks, not the mean";
    if (near(found, sum / P / P))
        return ": divided by the number of ranks once more";
    if (near(found, own) || near(found, own / P))
        return ": this rank's own gradient, without the others'";
    return near(found, 0) ? ": 1 / P is 0 in integers, or nothing has arrived" : "";
}

static void judge_one(ZeroStage stage, int P, int rank)
{
    static ShardJudge j;
    judge_open(&j, stage, P, rank, true);
    const Buffer *whole = j.u.grads.buf;
    Tensor mine = j.u.my_grads;
    int buffers = j.buffers;
    shard_reduce(&j.z, &j.u);
    WRONG_UNLESS(j.gathers == 0, "%s: an all-gather: nobody needs the whole sum", j.at);
    WRONG_UNLESS(j.reduces == 1, "%s: %d reduce-scatters, expected one", j.at, j.reduces);
    WRONG_UNLESS(stage >= ZERO_2 || (judged_live(&j, whole) && j.u.grads.buf == whole),
                 "%s: u->grads is gone: in stage 1 the next backward pass needs it", j.at);
    for (int k = 0; k < JUDGED_EACH; k++) {
        int i = rank * JUDGED_EACH + k;
        double sum = 0, found = judged_values(&j, mine)[k];
        for (int r = 0; r < P; r++)
            sum += judged_grad(r, i);
        WRONG_UNLESS(near(found, sum / P), "%s: my_grads[%d] is %g, expected %g%s", j.at, k, found,
                     sum / P, hint(found, judged_grad(rank, i), sum, P));
    }
    WRONG_UNLESS(j.u.my_grads.buf == mine.buf && j.u.my_grads.at == mine.at,
                 "%s: u->my_grads is another tensor afterwards", j.at);
    if (stage < ZERO_2) {
        WRONG_UNLESS(j.buffers == buffers, "%s: it takes memory and keeps it", j.at);
    } else {
        WRONG_UNLESS(!judged_live(&j, whole),
                     "%s: the whole gradient is still in memory: unit_free", j.at);
        WRONG_UNLESS(!j.u.grads.buf, "%s: u->grads still names memory that is gone", j.at);
        WRONG_UNLESS(j.buffers == buffers - 1, "%s: it takes memory and keeps it", j.at);
    }
}

static void judge(void *unused)
{
    for (int stage = ZERO_1; stage < ZERO_STAGES; stage++)
        for (int rank = 0; rank < 3; rank++)
            judge_one(stage, 3, rank);
    judge_one(ZERO_2, 4, 3);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "shard_reduce", 6,
                          "this rank's shard of the mean; the whole gradient gone from stage 2 on",
                          judge);
}
