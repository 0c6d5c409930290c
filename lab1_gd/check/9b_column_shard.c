/* 9b_column_shard.c: the check of column_shard. */
#include "check.h"
#include "exercise.h"
#include "lab1.h"

typedef struct Asked {
    int columns, rank, ranks;
} Asked;

/* A shard's size, in several ways of sharing out; `first` is the sum of those before. */
typedef int Size(const Asked *a, int rank);
static int even(const Asked *a, int rank) { return (a->columns + a->ranks - 1 - rank) / a->ranks; }
static int cut_off(const Asked *a, int rank) { return a->columns / a->ranks; }
static int last_takes_rest(const Asked *a, int rank)
{
    return a->columns / a->ranks + (rank == a->ranks - 1 ? a->columns % a->ranks : 0);
}
static int first_takes_rest(const Asked *a, int rank)
{
    return a->columns / a->ranks + (rank == 0 ? a->columns % a->ranks : 0);
}
static int last_larger(const Asked *a, int rank) { return even(a, a->ranks - 1 - rank); }
static int rounded_up(const Asked *a, int rank)
{
    int each = (a->columns + a->ranks - 1) / a->ranks, left = a->columns - rank * each;
    return left <= 0 ? 0 : left < each ? left : each;
}
static int too_large(const Asked *a, int rank) { return (a->columns + a->ranks - 1) / a->ranks; }
static int one_more(const Asked *a, int rank)
{
    return a->columns / a->ranks + (rank <= a->columns % a->ranks);
}

/* By cutting at rank·columns/ranks: as even, but in another order. */
static int cut(const Asked *a, int rank)
{
    return (rank + 1) * a->columns / a->ranks - rank * a->columns / a->ranks;
}

static int before(const Asked *a, Size *size)
{
    int sum = 0;
    for (int r = 0; r < a->rank; r++)
        sum += size(a, r);
    return sum;
}

#define MISTAKE(name, its_first, its_count) \
    static void name(double *out, const double *right, const void *asked) \
    { \
        __attribute__((unused)) const Asked *a = asked; \
        out[0] = its_first; \
        out[1] = its_count; \
    }
#define SHARED(name, size) MISTAKE(name, before(a, size), size(a, a->rank))
SHARED(rest_lost, cut_off)
SHARED(rest_last, last_takes_rest)
SHARED(rest_first, first_takes_rest)
SHARED(larger_last, last_larger)
SHARED(ceiling, rounded_up)
SHARED(beyond, too_large)
SHARED(off_by_one, one_more)
SHARED(cuts, cut)
MISTAKE(count_off_by_one, right[0], one_more(a, a->rank))
MISTAKE(rank_from_one, a->rank ? right[0] - even(a, a->rank - 1) : NAN,
        a->rank ? even(a, a->rank - 1) : NAN)
MISTAKE(ends, right[0], right[0] + right[1])
MISTAKE(last_index, right[0], right[0] + right[1] - 1)
MISTAKE(gaps_ignored, a->rank *(a->columns / a->ranks), right[1])
MISTAKE(all_shifted, a->rank *(a->columns / a->ranks) + a->columns % a->ranks, right[1])
MISTAKE(overlapping, a->rank *right[1], right[1])
MISTAKE(counts_even, right[0], a->columns / a->ranks)
MISTAKE(rank_itself, a->rank, right[1])
MISTAKE(from_one, right[0] + 1, right[1])
MISTAKE(swapped, right[1], right[0])
MISTAKE(everything, 0, a->columns)
MISTAKE(turned, a->columns - right[0] - right[1], right[1])

static const Mistake mistakes[] = {
    {"columns % ranks columns have no owner: the first ranks take one more", rest_lost},
    {"the last rank takes the whole rest: the sizes may differ by at most one", rest_last},
    {"rank 0 takes the whole rest: the sizes may differ by at most one", rest_first},
    {"the last ranks have the larger shards: the first columns % ranks should", larger_last},
    {"every rank takes columns/ranks rounded up, and the last ones what is left: sizes may differ "
     "by at most one",
     ceiling},
    {"every rank takes columns/ranks rounded up: together they own more columns than there are",
     beyond},
    {"off by one: rank < columns % ranks has one more, not rank <= columns % ranks", off_by_one},
    {"cut at rank·columns/ranks: as even, but the first columns % ranks ranks have one more", cuts},
    {"off by one: rank < columns % ranks has one more, not rank <= columns % ranks",
     count_off_by_one},
    {"ranks count from 0, not from 1: rank 0 has the first shard", rank_from_one},
    {"*count is the shard's end: it is how many columns it has", ends},
    {"*count is the shard's last column: it is how many columns it has", last_index},
    {"*first ignores the larger shards before it: they move it on by one each", gaps_ignored},
    {"*first is moved on by all larger shards: only by those of ranks before it", all_shifted},
    {"*first is rank times its own size: the shards before it may be larger", overlapping},
    {"*count is columns / ranks for all: the first columns % ranks have one more", counts_even},
    {"*first is the rank: it is a column, the sum of the sizes before it", rank_itself},
    {"columns count from 0, not from 1", from_one},
    {"*first and *count are swapped", swapped},
    {"every rank owns all columns", everything},
    {"the shards come in the reverse order of the ranks", turned},
    {0}};

static void judge(void *unused)
{
    static const int sizes[][2] = {{8, 2}, {8, 1}, {10, 4},   {512, 3}, {7, 7},
                                   {3, 4}, {1, 1}, {1000, 7}, {8, 5}};
    enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 64 };
    Asked asked[MOST];
    ExerciseCase cases[MOST];
    int n = 0;
    for (int i = 0; i < SIZES; i++)
        for (int r = 0; r < sizes[i][1]; r++, n++) {
            ASSERT(n < MOST);
            int first = (int)EXERCISE_UNSET, count = (int)EXERCISE_UNSET;
            asked[n] = (Asked){sizes[i][0], r, sizes[i][1]};
            column_shard(&first, &count, sizes[i][0], r, sizes[i][1]);
            WRONG_UNLESS(first != (int)EXERCISE_UNSET, "*first is never set");
            WRONG_UNLESS(count != (int)EXERCISE_UNSET, "*count is never set");
            cases[n] = (ExerciseCase){.asked = &asked[n],
                                      .found = {first, count},
                                      .right = {before(&asked[n], even), even(&asked[n], r)}};
            exercise_tell(&cases[n], "%d columns, rank %d of %d", sizes[i][0], r, sizes[i][1]);
        }
    exercise_judge(&(ExerciseQuestion){.names = {"*first", "*count"}, .mistakes = mistakes}, cases,
                   n);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "column_shard", 5,
                          "every column has one owner, in rank order, as evenly as possible",
                          judge);
}
