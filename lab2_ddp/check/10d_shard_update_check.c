/* 10d_shard_update_check.c: the check of shard_update, on one rank whose others are played. */
#include "exercise.h"
#include "judge_shard.h"
#include <math.h>

static void judge_one(ZeroStage stage, int P, int rank)
{
    static const char *const groups[] = {"", "stage 1", "stage 2", "stage 3"};
    static ShardJudge j;
    judge_open(&j, stage, P, rank);
    bool padding = P > 3; /* this rank's shard is nothing else: a step changes nothing there */
    if (padding)
        j.u.count = rank * JUDGED_EACH;
    if (stage == ZERO_3) /* room, so that a call that should not be made can be named */
        j.u.params = unit_new(&j.z, &j.u);
    int buffers = j.buffers;
    for (int k = 0; k < JUDGED_EACH; k++) {
        judged_values(&j, j.u.my_grads)[k] = padding ? 0 : (float)(k + 1);
        judged_values(&j, j.u.my_velocity)[k] = padding ? 0 : (float)(k * k);
    }
    shard_update(&j.z, &j.u, 0.25);
    exercise_group(groups[stage]);
    exercise_case("%s%s", j.at, padding ? ", whose shard is padding alone" : "");
    judged_note(&j, "my_params", j.u.my_params, JUDGED_EACH);
    judged_note_calls(&j, buffers);
    for (int k = 0; k < JUDGED_EACH; k++)
        exercise_fact("what it sends", j.gathers ? j.sent[k] : NAN);
    exercise_fact("that it sends my_params (1: true)", j.gathered_own);
    judged_note(&j, "params", j.u.params, P * JUDGED_EACH);
    judged_note(&j, "my_grads", j.u.my_grads, JUDGED_EACH);
}

static void judge(void *unused)
{
    exercise_tolerance(1e-6, 1e-5);
    for (int stage = ZERO_1; stage < ZERO_STAGES; stage++) {
        for (int rank = 0; rank < 3; rank++)
            judge_one(stage, 3, rank);
        judge_one(stage, 5, 4);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "shard_update", 6,
    "a step on this rank's shard; then, but in stage 3, all ranks' shards", judge};
