/* 5b_share_seen_check.c: the check of share_seen. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    static const char *const kinds[] = {"PARTITION_PLAIN", "PARTITION_CUT", "PARTITION_OWN_ORDERS",
                                        "PARTITION_ONE_ORDER"};
    static const int asked[][2] = {{2, 1}, {4, 1},  {2, 3},  {4, 2},        {3, 5},
                                   {1, 1}, {64, 6}, {64, 0}, {50000, 50000}};
    for (int kind = 0; kind < PARTITION_KINDS; kind++) {
        exercise_group(kinds[kind]);
        for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++) {
            exercise_case("%s, %d rank%s, %d epoch%s", kinds[kind], asked[k][0],
                          asked[k][0] == 1 ? "" : "s", asked[k][1], asked[k][1] == 1 ? "" : "s");
            exercise_value("the share", share_seen(kind, asked[k][0], asked[k][1]));
        }
    }
}

const ExerciseCheck exercise_check = {__FILE__, "share_seen", 4,
                                      "the share of the images that any rank has read, to 1e-9",
                                      judge};
