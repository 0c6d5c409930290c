/* 5c_batch_warm_up.c: the check of batch_warm_up. */
#include "exercise.h"
#include "lab3.h"

static void judge_all(int small, int large)
{
    static const double shares[] = {0,    0.08, 0.12, 0.16, 0.17, 0.24, 0.26, 0.32,
                                    0.34, 0.38, 0.45, 0.49, 0.5,  0.51, 0.75, 1};
    for (int i = 0; i < 16; i++) {
        exercise_group(shares[i] < 0.5 ? "the first half" : "the second half");
        exercise_case("from %d to %d, after a share of %g", small, large, shares[i]);
        exercise_value("the batch", batch_warm_up(small, large, shares[i]));
    }
}

static void judge(void *unused)
{
    judge_all(1, 2);
    judge_all(32, 256);
    judge_all(32, 1024);
    judge_all(8, 100);
    judge_all(64, 64);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "batch_warm_up", 5,
                          "doubling in the first half, `large` in the second", judge);
}
