/* 9b_column_shard.c: the check of column_shard. */
#include "exercise.h"
#include "lab1.h"
#include <stddef.h>

static void judge(void *unused)
{
    static const int cases[][2] = {{8, 2}, {8, 1}, {10, 4}, {512, 3},
                                   {7, 7}, {3, 4}, {1, 1},  {1000, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int columns = cases[i][0], ranks = cases[i][1], next = 0;
        for (int r = 0; r < ranks; r++) {
            int first = -1, count = -1, expected = columns / ranks + (r < columns % ranks);
            column_shard(&first, &count, columns, r, ranks);
            WRONG_UNLESS(first == next && count == expected,
                         "%d columns on %d ranks: rank %d has [%d, %d), expected [%d, %d)", columns,
                         ranks, r, first, first + count, next, next + expected);
            next += count;
        }
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "column_shard", 5,
                          "every column has one owner, in rank order, as evenly as possible",
                          judge);
}
