/* 10b_shard_of_check.c: the check of shard_of. */
#include "exercise.h"
#include "lab2.h"

static void judge(void *unused)
{
    static const int asked[][2] = {{1, 1},  {6, 3}, {8, 4},  {7, 3},  {2, 2},
                                   {5, 4},  {4, 3}, {1, 3},  {10, 4}, {3, 5},
                                   {13, 5}, {9, 7}, {24, 1}, {16, 6}, {1000003, 6}};
    for (unsigned k = 0; k < sizeof asked / sizeof *asked; k++) {
        int count = asked[k][0], P = asked[k][1];
        exercise_group(P == 1 ? "P = 1" : count % P == 0 ? "sizes that P divides" : "other sizes");
        for (int r = 0; r < P; r++) {
            Shard s = shard_of(count, P, r);
            exercise_case("count = %d, P = %d, rank %d", count, P, r);
            exercise_value("each", s.each);
            exercise_value("first", s.first);
            exercise_value("own", s.own);
        }
    }
}

const ExerciseCheck exercise_check = {__FILE__, "shard_of", 4,
                                      "equal shards, rounded up; each element owned by one rank",
                                      judge};
