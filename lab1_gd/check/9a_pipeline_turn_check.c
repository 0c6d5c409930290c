/* 9a_pipeline_turn_check.c: the check of pipeline_turn. */
#include "exercise.h"
#include "lab1.h"

static void judge(void *unused)
{
    static const int sizes[][2] = {{1, 1}, {1, 3}, {2, 1}, {2, 2}, {3, 4}, {4, 2}};
    for (int k = 0; k < 6; k++)
        for (int stage = 0; stage < sizes[k][0]; stage++)
            for (int tick = -1; tick <= 2 * (sizes[k][0] + sizes[k][1] - 1); tick++) {
                exercise_group(sizes[k][0] == 1 ? "1 stage" : NULL);
                exercise_case("stage %d of %d, %d micro-batches, tick %d", stage, sizes[k][0],
                              sizes[k][1], tick);
                Turn turn = pipeline_turn(stage, sizes[k][0], sizes[k][1], tick);
                exercise_value("micro", turn.micro);
                exercise_value("backward", turn.backward);
            }
}

const ExerciseCheck exercise_check = {__FILE__, "pipeline_turn", 5,
                                      "each stage's micro-batch at every tick; idle elsewhere",
                                      judge};
