/* 10b_next_scale_check.c: the check of next_scale. */
#include "exercise.h"
#include "lab3.h"

/* A pass after the other: + its gradients were finite, - they were not. */
static void judge_passes(Scaling s, const char *passes)
{
    for (int i = 0; passes[i]; i++) {
        bool finite = passes[i] == '+';
        exercise_group(!finite               ? "a gradient that is not finite"
                       : i + 1 == s.interval ? "finite gradients, `interval` in a row"
                                             : "finite gradients");
        exercise_case("passes %.*s (+ finite, - not), interval %d, scale before %g", i + 1, passes,
                      s.interval, s.scale);
        bool update = next_scale(&s, finite);
        exercise_value("the scale", s.scale);
        exercise_value("good", s.good);
        exercise_value("1 if the update is made", update ? 1 : 0);
    }
}

static void judge(void *unused)
{
    judge_passes((Scaling){1024, 0, 3}, "++++++-++-+++");
    judge_passes((Scaling){65536, 0, 1}, "+-+");
    judge_passes((Scaling){2, 1, 4}, "---+++++");
    judge_passes((Scaling){1 << 23, 1, 2}, "+++-+");
    judge_passes((Scaling){96, 1999, 2000}, "++-");
}

const ExerciseCheck exercise_check = {
    __FILE__, "next_scale", 4,
    "half where a gradient is not finite, twice after `interval` finite ones, 1 to 2^24", judge};
