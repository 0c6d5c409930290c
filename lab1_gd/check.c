/* check.c: the self-check of lab 1: one line per exercise. */
#include <stdio.h>
#include <stdlib.h>
#include "exercise.h"
#include "judge.h"

int main(void)
{
    static const struct { const char *name, *expected; int points; void (*judge)(void *); } exercises[] = {
        {"gradient", "gradient.c: the slope of the mean squared error, as finite differences measure it", 10, judge_gradient},
        {"update", "update.c: a step against the slope, rate times as long", 5, judge_update},
        {"converged", "converged.c: true when the loss hardly falls any more, and only then", 10, judge_converged},
        {"shuffle", "shuffle.c: a permutation, all equally likely, all chance from r", 10, judge_shuffle},
        {"minibatch_epoch", "minibatch_epoch.c: every example of the order once, the last batch short, the mean over its own size", 10,
         judge_minibatch_epoch},
        {"filter_normalize", "filter_normalize.c: each filter of the direction as long as the weights' filter", 10, judge_filter_normalize},
        {"plane_coordinates", "plane_coordinates.c: the nearest point of a plane, for directions of any length and angle", 10,
         judge_plane_coordinates},
        {"busy", "busy.c: how much of a stretch of time spans cover together", 5, judge_busy},
        {"pipeline_turn", "pipeline_turn.c: whose turn it is in a pipeline, forward and backward, at every tick", 5, judge_pipeline_turn},
        {"column_shard", "column_shard.c: every column has one owner, in order, as evenly as can be", 5, judge_column_shard},
        {"time_per_update", "time_per_update.c: fixed cost and cost per picture, with the least relative errors", 10, judge_time_per_update},
        {"needed_examples", "needed_examples.c: the law turned round; infinite at the floor and below it", 5, judge_needed_examples},
        {"training_days", "training_days.c: examples x epochs x FLOP, over devices x FLOP/s, in days", 5, judge_training_days},
    };
    int points = 0, most = 0;
    for (size_t i = 0; i < sizeof exercises / sizeof *exercises; i++) {
        ExerciseResult result = exercise_try(exercises[i].judge, NULL);
        points += exercise_say(exercises[i].name, exercises[i].points, exercises[i].expected, result);
        most += exercises[i].points;
        free(result.why);
    }
    printf("%d of %d points\n", points, most);
    return points == most ? 0 : EXIT_WRONG;
}
