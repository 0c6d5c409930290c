/* 5b_grow_batch.c: the check of grow_batch. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>
#include <stdlib.h>

static void judge_one(int batch, double rate, int most, double factor, int expected)
{
    int grown = batch;
    double after = rate, wanted = rate / factor * expected / batch;
    grow_batch(&grown, &after, most, factor);
    WRONG_UNLESS(grown != batch || expected == batch,
                 "batch %d, factor %g, most %d: the batch does "
                 "not grow, expected %d",
                 batch, factor, most, expected);
    WRONG_UNLESS(grown <= most, "batch %d, factor %g: %d images, and at most %d are allowed", batch,
                 factor, grown, most);
    WRONG_UNLESS(grown >= 1 && abs(grown - expected) != 1,
                 "batch %d, factor %g: %d images, expected %d: round to the nearest", batch, factor,
                 grown, expected);
    WRONG_UNLESS(grown == expected, "batch %d, factor %g, most %d: %d images, expected %d", batch,
                 factor, most, grown, expected);
    if (fabs(after - wanted) <= 1e-9 * wanted)
        return;
    WRONG_UNLESS(fabs(after - rate / factor) > 1e-9,
                 "batch %d to %d: the rate falls by the factor "
                 "as well: one of them, not both",
                 batch, grown);
    WRONG_UNLESS(after != rate,
                 "batch %d to %d, of %g wanted: the rate stays: it must fall by what "
                 "the batch did not take up, to %g",
                 batch, grown, batch * factor, wanted);
    WRONG_UNLESS(after < rate || grown < batch * factor,
                 "batch %d to %d: the rate grows, too: "
                 "rate / batch must fall by %g",
                 batch, grown, factor);
    exercise_wrong("batch %d to %d at the rate %g: rate %g, expected %g: rate / batch falls by "
                   "%g",
                   batch, grown, rate, after, wanted, factor);
}

static void judge(void *unused)
{
    judge_one(32, 0.1, 1024, 5, 160);
    judge_one(160, 0.1, 1024, 5, 800);
    judge_one(800, 0.1, 1024, 5, 1024);
    judge_one(1024, 0.1, 1024, 5, 1024);
    judge_one(3, 0.2, 100, 2.5, 8);
    judge_one(7, 0.2, 100, 1.2, 8);
    judge_one(64, 0.2, 100, 1, 64);
    judge_one(1000000, 0.1, 2000000, 1e6, 2000000);
}

int main(int argc, char **argv)
{
    return exercise_check(
        argc, argv, "grow_batch", 5,
        "the batch times the factor, up to `most`; rate / batch falls by the factor", judge);
}
