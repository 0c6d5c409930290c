/* 7g_sparse_add_check.c: the check of sparse_add. */
#include "check_codes.h"

enum { MOST = 8, NO_INDEX = -7777 };

/* What is in sum matters if it returns true. */
static void judge_sum(Sparse x, Sparse y, int most, const char *what)
{
    int32_t at[MOST + 1];
    float value[MOST + 1];
    for (int i = 0; i <= MOST; i++) {
        at[i] = NO_INDEX;
        value[i] = UNSET;
    }
    Sparse sum = {NO_INDEX, at, value};
    bool fits = sparse_add(&sum, &x, &y, most);
    for (int i = most; i <= MOST; i++)
        WRONG_UNLESS(at[i] == NO_INDEX && value[i] == UNSET,
                     "%s, most = %d: it writes element %d of the sum, which has room for `most`: "
                     "return false",
                     what, most, i);
    exercise_case("%s, most = %d", what, most);
    exercise_answer("it", fits);
    exercise_value("sum->count", !fits ? NAN : sum.count == NO_INDEX ? EXERCISE_UNSET : sum.count);
    for (int i = 0; i < MOST; i++) {
        bool there = fits && i < sum.count;
        exercise_value("at", !there ? NAN : at[i] == NO_INDEX ? EXERCISE_UNSET : at[i]);
        exercise_value("value", there ? value[i] : NAN);
    }
}

static void judge(void *unused)
{
    /* Behind each is an element that does not belong to it. */
    Sparse x = {3, (int32_t[]){1, 4, 6, -5}, (float[]){10, 40, 60, 7000}},
           behind = {2, (int32_t[]){20, 21, -5}, (float[]){-1, 2, 7000}},
           both = {2, (int32_t[]){4, 9, -5}, (float[]){400, 900, 7000}},
           front = {3, (int32_t[]){0, 1, 2, -5}, (float[]){-10, -10, 5, 7000}},
           none = {0, (int32_t[]){-5}, (float[]){7000}};
    const char *apart = "x = {1: 10, 4: 40, 6: 60}, y = {20: -1, 21: 2}",
               *apart2 = "x = {20: -1, 21: 2}, y = {1: 10, 4: 40, 6: 60}",
               *shared = "x = {1: 10, 4: 40, 6: 60}, y = {4: 400, 9: 900}",
               *zero = "x = {1: 10, 4: 40, 6: 60}, y = {0: -10, 1: -10, 2: 5}";
    exercise_group("empty vectors");
    judge_sum(none, none, 0, "x and y empty");
    judge_sum(x, none, 3, "x = {1: 10, 4: 40, 6: 60}, y empty");
    judge_sum(none, x, 3, "x empty, y = {1: 10, 4: 40, 6: 60}");
    judge_sum(none, x, 2, "x empty, y = {1: 10, 4: 40, 6: 60}");
    exercise_group("vectors without a common index");
    judge_sum(x, behind, MOST, apart);
    judge_sum(behind, x, 5, apart2);
    judge_sum(x, behind, 4, apart);
    judge_sum(x, behind, 2, apart);
    exercise_group("vectors with common indices");
    judge_sum(x, both, MOST, shared);
    judge_sum(both, x, 4, "x = {4: 400, 9: 900}, y = {1: 10, 4: 40, 6: 60}");
    judge_sum(x, both, 3, shared);
    judge_sum(x, x, 3, "x = y = {1: 10, 4: 40, 6: 60}");
    judge_sum(x, x, 2, "x = y = {1: 10, 4: 40, 6: 60}");
    judge_sum(x, front, 6, zero); /* element 1 is 0, and stays */
    judge_sum(front, x, 5, zero);
    judge_sum(front, x, 4, zero);
}

const ExerciseCheck exercise_check = {__FILE__, "sparse_add", 4,
                                      "each index once, ascending, the sum; false beyond `most`",
                                      judge};
