/* 9b_column_shard_check.c: the check of column_shard. */
#include "exercise.h"
#include "lab1.h"

static void judge(void *unused)
{
    static const int sizes[][2] = {{1, 1},  {8, 2}, {10, 4}, {9, 4},
                                   {11, 3}, {7, 7}, {3, 5},  {1000, 7}};
    for (int k = 0; k < 8; k++)
        for (int rank = 0; rank < sizes[k][1]; rank++) {
            int first = (int)EXERCISE_UNSET, count = (int)EXERCISE_UNSET;
            exercise_group(sizes[k][1] == 1                 ? "1 rank"
                           : sizes[k][0] % sizes[k][1] == 0 ? "columns that ranks divides"
                                                            : NULL);
            exercise_case("%d columns, rank %d of %d", sizes[k][0], rank, sizes[k][1]);
            column_shard(&first, &count, sizes[k][0], rank, sizes[k][1]);
            exercise_value("*first", first == (int)EXERCISE_UNSET ? EXERCISE_UNSET : first);
            exercise_value("*count", count == (int)EXERCISE_UNSET ? EXERCISE_UNSET : count);
        }
}

const ExerciseCheck exercise_check = {
    __FILE__, "column_shard", 5, "every column has one owner, in rank order, as evenly as possible",
    judge};
