/* 7e_top_k_check.c: the check of top_k. */
#include "check_codes.h"

enum { MOST = 12, NO_INDEX = -7777 };

static void judge_top(const char *what, const float *a, int n, int k, bool equal)
{
    int32_t at[MOST + 1];
    float value[MOST + 1];
    for (int i = 0; i <= MOST; i++) {
        at[i] = NO_INDEX;
        value[i] = UNSET;
    }
    Sparse top = {NO_INDEX, at, value};
    top_k(&top, a, n, k);
    for (int i = k; i <= MOST; i++)
        WRONG_UNLESS(at[i] == NO_INDEX && value[i] == UNSET,
                     "a = %s, k = %d: it writes at[%d] or value[%d], and there is room for k%s",
                     what, k, i, i,
                     equal ? ": of those as large as the k-th choose only as many as are missing"
                           : "");
    exercise_case("a = %s, k = %d", what, k);
    for (int i = 0; i < k; i++)
        exercise_value("at", at[i] == NO_INDEX ? EXERCISE_UNSET : at[i]);
    exercise_values("value", value, k);
    exercise_value("count", top.count == NO_INDEX ? EXERCISE_UNSET : top.count);
}

static void judge(void *unused)
{
    static const float one[] = {-3}, different[] = {2, -5, 0.5f, 4, -1, 3},
                       equal[] = {1, -2, 2, 3, 2, -2, 0, 1}, zeros[] = {0, 0, -0.0f, 0},
                       front[] = {5, 2, -2, 2}, back[] = {2, -2, 2, 5},
                       falling[] = {-9, 8, 7, -6, 5, 4, -3, 2, 1, 0.5f, -0.25f, 0};
    judge_top("-3 (n = 1)", one, 1, 1, false);
    judge_top("2, -5, 0.5, 4, -1, 3", different, 6, 1, false);
    judge_top("2, -5, 0.5, 4, -1, 3", different, 6, 3, false);
    judge_top("2, -5, 0.5, 4, -1, 3", different, 6, 6, false);
    judge_top("-9, 8, 7, -6, 5, 4, -3, 2, 1, 0.5, -0.25, 0", falling, 12, 5, false);
    judge_top("1e-10, 2e-10, -3e-10", (float[]){1e-10f, 2e-10f, -3e-10f}, 3, 1, false);
    exercise_group("equal elements");
    for (int k = 1; k <= 8; k++)
        judge_top("1, -2, 2, 3, 2, -2, 0, 1", equal, 8, k, true);
    judge_top("5, 2, -2, 2", front, 4, 2, true);
    judge_top("2, -2, 2, 5", back, 4, 2, true);
    judge_top("0, 0, -0.0, 0", zeros, 4, 2, true);
}

const ExerciseCheck exercise_check = {
    __FILE__, "top_k", 4, "k elements of the largest magnitude, ascending, of equal ones the first",
    judge};
