/* 7e_top_k.c: the check of top_k: how many, which, in which order. */
#include "check.h"
#include "check_codes.h"
#include <stdlib.h>

enum { MOST = 3000 };

static void judge_top(const float *a, int n, int k, const char *what)
{
    int32_t at[MOST + 8];
    float value[MOST + 8];
    memset(at, MARK, sizeof at);
    memset(value, MARK, sizeof value);
    Sparse top = {-1, at, value};
    top_k(&top, a, n, k);
    int written = 0;
    while (written < MOST + 8 && (uint32_t)at[written] != 0xA5A5A5A5)
        written++;
    WRONG_UNLESS(written <= k,
                 "%s, n = %d: %d elements are written, expected k = %d: there is room "
                 "for k; which of equal ones are chosen?",
                 what, n, written, k);
    expect_marks(at + k, 8, "top->at [k]");
    expect_marks(value + k, 8, "top->value [k]");
    float least = magnitude_at(a, n, k);
    int skipped = -1;
    for (int i = 0, j = 0; i < n; i++) {
        bool chosen = j < written && at[j] == i;
        if (chosen) {
            WRONG_UNLESS(value[j] == a[i], "%s: the value of element %d is %g, expected %g%s", what,
                         i, value[j], a[i], value[j] == fabsf(a[i]) ? ": its sign is lost" : "");
            j++;
        }
        WRONG_UNLESS(j == 0 || j >= written || at[j] > at[j - 1],
                     "%s: indices %d and %d come in this order: expected ascending", what,
                     at[j - 1], at[j]);
        WRONG_UNLESS(chosen || fabsf(a[i]) <= least,
                     "%s, n = %d, k = %d: element %d, %g, is not chosen, though it is larger than "
                     "the k-th, %g%s",
                     what, n, k, i, a[i], least, a[i] < 0 ? ": by magnitude" : "");
        WRONG_UNLESS(!chosen || fabsf(a[i]) >= least,
                     "%s, n = %d, k = %d: element %d, %g, is chosen, though it is smaller than the "
                     "k-th, %g",
                     what, n, k, i, a[i], least);
        if (fabsf(a[i]) == least && !chosen && skipped < 0)
            skipped = i;
        WRONG_UNLESS(
            !chosen || fabsf(a[i]) != least || skipped < 0,
            "%s: of equal elements %d is chosen, but %d is not: expected the lowest indices", what,
            i, skipped);
    }
    WRONG_UNLESS(top.count == k, "%s, n = %d: count is %d, expected k = %d%s", what, n, top.count,
                 k, written < k ? ": are those as large as the k-th left out?" : "");
}

static void judge(void *unused)
{
    static float a[MOST];
    draw_normal(a, MOST, 1, 5);
    judge_top(a, 10, 3, "different elements");
    judge_top(a, MOST, 30, "different elements");
    judge_top(a, MOST, MOST, "all elements");
    judge_top(a, 1, 1, "one element");
    float alike[] = {1, -2, 2, 3, 2, -2, 0, 1};
    judge_top(alike, 8, 3, "equal elements (1, -2, 2, 3, 2, -2, 0, 1)");
    judge_top(alike, 8, 1, "equal elements (1, -2, 2, 3, 2, -2, 0, 1)");
    judge_top(alike, 8, 7, "equal elements (1, -2, 2, 3, 2, -2, 0, 1)");
    float zeros[] = {0, 0, -0.0f, 0};
    judge_top(zeros, 4, 2, "zeros");
    for (int i = 0; i < MOST; i++)
        a[i] = roundf(4 * a[i]); /* many equal ones */
    judge_top(a, MOST, 300, "equal elements");
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "top_k", 4,
                          "k elements of the largest magnitude, ascending, of equal ones the first",
                          judge);
}
