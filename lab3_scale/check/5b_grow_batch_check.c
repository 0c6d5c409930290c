/* 5b_grow_batch_check.c: the check of grow_batch. */
#include "exercise.h"
#include "lab3.h"

static void judge(void *unused)
{
    static const double asked[][4] = {{32, 0.1, 1024, 4},   {64, 0.2, 100, 1},
                                      {3, 0.2, 100, 2.5},   {7, 0.2, 100, 1.2},
                                      {3, 0.5, 100, 1.1},   {25, 0.2, 100, 4},
                                      {5, 0.2, 100, 2.5},   {800, 0.1, 1024, 5},
                                      {1024, 0.1, 1024, 5}, {1e6, 0.1, 2e6, 1e6}};
    for (int i = 0; i < 10; i++) {
        int batch = (int)asked[i][0], most = (int)asked[i][2];
        double rate = asked[i][1], factor = asked[i][3];
        exercise_group(batch * factor <= most ? "what `most` allows"
                                              : "where `most` is in the way");
        exercise_case("batch %d, rate %g, most %d, factor %g", batch, rate, most, factor);
        grow_batch(&batch, &rate, most, factor);
        exercise_value("the batch", batch);
        exercise_value("the rate", rate);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "grow_batch", 5,
    "the batch times the factor, up to `most`; rate / batch falls by the factor", judge};
