/* 10e_shard_layer_check.c: the check of shard_layer: a forward and a backward pass through one
 * layer. */
#include "exercise.h"
#include "judge_shard.h"

static void judge_pass(ShardJudge *j, const char *pass)
{
    int buffers = j->buffers;
    Tensor mine = j->u.my_params;
    j->gathers = j->reduces = 0;
    for (int before = 1; before >= 0; before--) {
        shard_layer(&j->z, &j->u, before);
        WRONG_UNLESS(judged_live(j, mine.buf) && j->u.my_params.buf == mine.buf,
                     "%s: this rank's shard u->my_params is gone: nobody else has it", j->at);
        exercise_group(before ? "before the layer" : "after the layer");
        exercise_case("rank %d of %d, %s pass, %s the layer", j->comm.rank, j->comm.size, pass,
                      before ? "before" : "after");
        if (before)
            judged_note(j, "params", j->u.params, j->comm.size * JUDGED_EACH);
        judged_note(j, "my_params", mine, JUDGED_EACH);
        judged_note_calls(j, buffers);
        exercise_fact("that u->params names memory (1: true)", j->u.params.buf != NULL);
    }
}

static void judge(void *unused)
{
    static ShardJudge j;
    for (int rank = 0; rank < 3; rank++) {
        judge_open(&j, ZERO_3, 3, rank);
        judged_values(&j, j.u.my_grads)[0] = 2;
        judged_values(&j, j.u.my_velocity)[0] = 3;
        judge_pass(&j, "forward");
        judge_pass(&j, "backward");
    }
}

const ExerciseCheck exercise_check = {__FILE__, "shard_layer", 6,
                                      "all of a layer's parameters before it, none after it",
                                      judge};
