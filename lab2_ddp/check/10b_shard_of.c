/* 10b_shard_of.c: the check of shard_of. */
#include "exercise.h"
#include "lab2.h"

static void judge_one(int count, int P)
{
    int each = count / P + (count % P > 0), sum = 0;
    for (int r = 0; r < P; r++) {
        Shard s = shard_of(count, P, r);
        int left = count - r * each, own = left < 0 ? 0 : left < each ? left : each;
        WRONG_UNLESS(s.each == each, "%d elements, %d ranks: shards of %d, expected %d%s", count, P,
                     s.each, each,
                     s.each == count / P ? ": rounded down, the last elements are nobody's" : "");
        WRONG_UNLESS(s.first == r * each,
                     "%d elements, %d ranks: rank %d's begins at %d, expected %d", count, P, r,
                     s.first, r * each);
        WRONG_UNLESS(s.own >= 0, "%d elements, %d ranks: rank %d owns %d elements: never below 0",
                     count, P, r, s.own);
        WRONG_UNLESS(s.own == own, "%d elements, %d ranks: rank %d owns %d elements, expected %d%s",
                     count, P, r, s.own, own,
                     s.own == each ? ": the padding behind the last is nobody's" : "");
        sum += s.own;
    }
    WRONG_UNLESS(sum == count, "%d elements, %d ranks: together they own %d", count, P, sum);
}

static void judge(void *unused)
{
    judge_one(7, 3);
    judge_one(5, 4);
    for (int count = 1; count <= 40; count++)
        for (int P = 1; P <= 12; P++)
            judge_one(count, P);
    judge_one(2000000000, 64);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "shard_of", 4,
                          "equal shards, rounded up; each element owned by one rank", judge);
}
