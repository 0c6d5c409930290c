/* 10e_shard_layer.c: the check of shard_layer: a forward and a backward pass through one layer. */
#include "exercise.h"
#include "judge_shard.h"

static void expect_own(const ShardJudge *j, Tensor mine)
{
    WRONG_UNLESS(judged_live(j, mine.buf) && j->u.my_params.buf == mine.buf,
                 "%s: this rank's shard u->my_params is gone: nobody else has it", j->at);
    for (int k = 0; k < JUDGED_EACH; k++)
        WRONG_UNLESS(judged_values(j, mine)[k] == judged_param(j->comm.rank, k),
                     "%s: this rank's shard u->my_params has changed", j->at);
}

static void judge_pass(ShardJudge *j, const char *pass)
{
    int buffers = j->buffers, P = j->comm.size;
    Tensor mine = j->u.my_params;
    j->gathers = 0;
    shard_layer(&j->z, &j->u, true);
    WRONG_UNLESS(j->reduces == 0, "%s: a reduce-scatter of parameters: they are not summed", j->at);
    WRONG_UNLESS(j->u.params.buf && judged_live(j, j->u.params.buf),
                 "%s, %s, before the layer: u->params has no memory: unit_new", j->at, pass);
    WRONG_UNLESS(j->gathers == 1, "%s, %s, before the layer: %d all-gathers, expected one", j->at,
                 pass, j->gathers);
    WRONG_UNLESS(j->u.params.n == P * JUDGED_EACH,
                 "%s: u->params has %d elements, expected those of all ranks, %d", j->at,
                 j->u.params.n, P * JUDGED_EACH);
    for (int i = 0; i < P * JUDGED_EACH; i++)
        WRONG_UNLESS(judged_values(j, j->u.params)[i] ==
                         judged_param(i / JUDGED_EACH, i % JUDGED_EACH),
                     "%s, %s: params[%d] is not what rank %d has", j->at, pass, i, i / JUDGED_EACH);
    expect_own(j, mine);
    WRONG_UNLESS(j->buffers == buffers + 1,
                 "%s, %s, before the layer: it takes more memory than for u->params", j->at, pass);
    shard_layer(&j->z, &j->u, false);
    WRONG_UNLESS(j->gathers == 1, "%s, %s, after the layer: an all-gather again: the layer is done",
                 j->at, pass);
    WRONG_UNLESS(
        j->buffers <= buffers,
        "%s, %s, after the layer: its parameters stay in memory: layer by layer they add up "
        "to the whole network",
        j->at, pass);
    expect_own(j, mine);
    WRONG_UNLESS(!j->u.params.buf, "%s, %s: u->params still names memory that is gone", j->at,
                 pass);
    WRONG_UNLESS(j->buffers == buffers, "%s, %s: it frees more than u->params", j->at, pass);
}

static void judge(void *unused)
{
    static ShardJudge j;
    for (int rank = 0; rank < 3; rank++) {
        judge_open(&j, ZERO_3, 3, rank, false);
        judge_pass(&j, "forward");
        judge_pass(&j, "backward");
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "shard_layer", 6,
                          "all of a layer's parameters before it, none after it", judge);
}
