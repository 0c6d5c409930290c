/* 5b_share_seen.c: the check of share_seen. */
#include "exercise.h"
#include "lab2.h"
#include <math.h>

static const char *const names[] = {"plain", "cut (option 1)", "own orders (option 2)",
                                    "one order for all"};

static void expect_share(PartitionKind kind, int size, int epochs, double expected)
{
    double found = share_seen(kind, size, epochs);
    WRONG_UNLESS(fabs(found - expected) <= 1e-9, "%s, %d rank%s, %d epoch%s: %.9g, expected %.9g",
                 names[kind], size, size == 1 ? "" : "s", epochs, epochs == 1 ? "" : "s", found,
                 expected);
}

/* Draw after draw, each missing what the others missed with the same probability. */
static void judge_draws(int size, int epochs)
{
    double own = 1, one = 1;
    for (int e = 0; e < epochs; e++) {
        one -= one / size;
        for (int r = 0; r < size; r++)
            own -= own / size;
    }
    expect_share(PARTITION_ONE_ORDER, size, epochs, 1 - one);
    expect_share(PARTITION_OWN_ORDERS, size, epochs, 1 - own);
    expect_share(PARTITION_PLAIN, size, epochs, epochs > 0);
    expect_share(PARTITION_CUT, size, epochs, epochs > 0);
}

static void judge(void *unused)
{
    expect_share(PARTITION_PLAIN, 4, 1, 1);
    expect_share(PARTITION_CUT, 4, 1, 1);
    expect_share(PARTITION_ONE_ORDER, 4, 1, 0.25);
    expect_share(PARTITION_OWN_ORDERS, 2, 1, 0.75);
    expect_share(PARTITION_OWN_ORDERS, 4, 1, 0.68359375);
    expect_share(PARTITION_ONE_ORDER, 2, 3, 0.875);
    for (int size = 1; size <= 64; size++)
        for (int epochs = 0; epochs <= 6; epochs++)
            judge_draws(size, epochs);
    expect_share(PARTITION_OWN_ORDERS, 50000, 50000, 1);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "share_seen", 4,
                          "the share of the images that any rank has read, to 1e-9", judge);
}
