/* 10c_shard_reduce_check.c: the check of shard_reduce, on one rank whose others are played. */
#include "exercise.h"
#include "judge_shard.h"

static void judge_one(ZeroStage stage, int P, int rank)
{
    static ShardJudge j;
    judge_open(&j, stage, P, rank);
    const Buffer *whole = j.u.grads.buf;
    Tensor mine = j.u.my_grads;
    int buffers = j.buffers;
    shard_reduce(&j.z, &j.u);
    exercise_group(P == 1 ? "one rank" : stage == ZERO_1 ? "stage 1" : "stages 2 and 3");
    exercise_case("%s", j.at);
    judged_note(&j, "my_grads", mine, JUDGED_EACH);
    judged_note_calls(&j, buffers);
    exercise_fact("that the memory of u->grads is there (1: true)", judged_live(&j, whole));
    exercise_fact("that u->grads names memory (1: true)", j.u.grads.buf != NULL);
    exercise_fact("that u->my_grads is another tensor (1: true)",
                  j.u.my_grads.buf != mine.buf || j.u.my_grads.at != mine.at);
}

static void judge(void *unused)
{
    exercise_tolerance(1e-6, 1e-5);
    for (int stage = ZERO_1; stage < ZERO_STAGES; stage++) {
        judge_one(stage, 1, 0);
        for (int rank = 0; rank < 3; rank++)
            judge_one(stage, 3, rank);
    }
    judge_one(ZERO_2, 4, 3);
}

const ExerciseCheck exercise_check = {
    __FILE__, "shard_reduce", 6,
    "this rank's shard of the mean; the whole gradient gone from stage 2 on", judge};
