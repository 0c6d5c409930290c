/* 5c_batch_warm_up.c: the check of batch_warm_up: its ends, its order, then every size's share. */
#include "exercise.h"
#include "lab3.h"

static void expect(int small, int large, double share, int expected)
{
    int found = batch_warm_up(small, large, share);
    if (found == expected)
        return;
    WRONG_UNLESS(found <= large, "from %d to %d, after %g of the images: %d, above `large`", small,
                 large, share, found);
    WRONG_UNLESS(found >= small, "from %d to %d, after %g of the images: %d, below `small`", small,
                 large, share, found);
    WRONG_UNLESS(share < 0.5,
                 "from %d to %d, after %g of the images: %d: the second half has the "
                 "large batch",
                 small, large, share, found);
    WRONG_UNLESS(share > 0, "from %d to %d: it begins with %d", small, large, found);
    WRONG_UNLESS(found != large,
                 "from %d to %d, after %g of the images: %d already: the large "
                 "batch is the second half's",
                 small, large, share, found);
    exercise_wrong(
        "from %d to %d, after %g of the images: %d, expected %d: each size below `large` "
        "has an equal part of the first half",
        small, large, share, found, expected);
}

static void judge_all(int small, int large)
{
    int sizes = 0;
    for (int size = small; size < large; size *= 2)
        sizes++;
    for (int i = 0, size = small; i < sizes; i++, size *= 2) {
        expect(small, large, 0.5 * (i + 0.01) / sizes, size);
        expect(small, large, 0.5 * (i + 0.5) / sizes, size);
        expect(small, large, 0.5 * (i + 0.99) / sizes, size);
    }
    expect(small, large, 0.5, large);
    expect(small, large, 0.75, large);
    expect(small, large, 1, large);
}

static void judge(void *unused)
{
    expect(32, 256, 0, 32);
    judge_all(32, 256);
    judge_all(32, 1024);
    judge_all(8, 100);
    judge_all(1, 2);
    for (int i = 0; i <= 10; i++)
        expect(64, 64, i / 10.0, 64);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "batch_warm_up", 5,
                          "doubling in the first half, `large` in the second", judge);
}
