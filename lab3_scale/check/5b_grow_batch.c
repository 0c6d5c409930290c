/* 5b_grow_batch.c: the check of grow_batch. */
#include "exercise.h"
#include "lab3.h"

static void judge_one(int batch, double rate, int most, double factor)
{
    exercise_group(batch * factor <= most ? "what `most` allows" : "where `most` is in the way");
    exercise_case("batch %d, rate %g, most %d, factor %g", batch, rate, most, factor);
    grow_batch(&batch, &rate, most, factor);
    exercise_value("the batch", batch);
    exercise_value("the rate", rate);
}

static void judge(void *unused)
{
    judge_one(32, 0.1, 1024, 4);
    judge_one(64, 0.2, 100, 1);
    judge_one(3, 0.2, 100, 2.5);
    judge_one(7, 0.2, 100, 1.2);
    judge_one(3, 0.5, 100, 1.1);
    judge_one(25, 0.2, 100, 4);
    judge_one(800, 0.1, 1024, 5);
    judge_one(1024, 0.1, 1024, 5);
    judge_one(1000000, 0.1, 2000000, 1e6);
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "grow_batch", 5,
        "the batch times the factor, up to `most`; rate / batch falls by the factor", judge);
}
