/* 5a_partition_check.c: the check of partition. */
#include "exercise.h"
#include "lab2.h"
#include <stdio.h>

static const char *const kinds[] = {"PARTITION_PLAIN", "PARTITION_CUT", "PARTITION_OWN_ORDERS",
                                    "PARTITION_ONE_ORDER"};
enum { MOST = 12, NO_IMAGE = -7777 };

static void judge_rank(PartitionKind kind, int count, int rank, int size, uint64_t seed, int epoch)
{
    int32_t room[MOST + 2], order[MOST], *mine = room + 1;
    char text[4 * MOST + 1] = "";
    int n = count / size, length = 0;
    int drawn = (int)seed + (kind == PARTITION_OWN_ORDERS ? rank : 0);
    epoch_order(order, count, (uint64_t)drawn, epoch);
    for (int i = 0; i < count; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, " %d", (int)order[i]);
    for (int i = 0; i < MOST + 2; i++)
        room[i] = NO_IMAGE;
    int returned = partition(mine, kind, count, rank, size, seed, epoch);
    for (int i = -1; i <= MOST; i++)
        WRONG_UNLESS((i >= 0 && i < n) || mine[i] == NO_IMAGE,
                     "%s, %d images, rank %d of %d: it writes to mine[%d], outside of mine [%d]",
                     kinds[kind], count, rank, size, i, n);
    exercise_case("%s, rank %d of %d, seed %d, epoch %d (seed %d's order is%s)", kinds[kind], rank,
                  size, (int)seed, epoch, drawn, text);
    exercise_value("n", returned);
    for (int i = 0; i < n; i++)
        exercise_value("mine", mine[i] == NO_IMAGE ? EXERCISE_UNSET : mine[i]);
}

static void judge(void *unused)
{
    static const int asked[][4] = {{4, 2, 2, 0},  {3, 1, 3, 1},  {6, 3, 7, 2}, {10, 4, 3, 1},
                                   {12, 3, 3, 0}, {12, 3, 3, 1}, {5, 5, 9, 4}, {3, 5, 3, 0}};
    static int32_t many[60000];
    for (int kind = 0; kind < PARTITION_KINDS; kind++) {
        exercise_group(kinds[kind]);
        for (int k = 0; k < (int)(sizeof asked / sizeof *asked); k++)
            for (int rank = 0; rank < asked[k][1]; rank++)
                judge_rank(kind, asked[k][0], rank, asked[k][1], (uint64_t)asked[k][2],
                           asked[k][3]);
        judge_rank(kind, 4, 0, 2, 2, 0); /* as at first */
        int n = partition(many, kind, 60000, 1, 7, 2, 0);
        exercise_case("%s, 60000 images, rank 1 of 7", kinds[kind]);
        exercise_value("n", n);
        exercise_value("mine[n - 1]", many[60000 / 7 - 1]);
    }
}

const ExerciseCheck exercise_check = {
    __FILE__, "partition", 8,
    "count / size images on every rank, new ones in every epoch; plain and "
    "cut: none twice",
    judge};
