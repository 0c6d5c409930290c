/* 7h_low_rank.c: the check of low_rank: the mean where it belongs, orthonormal columns, and that
 * p qᵀ is the matrix where the rank is enough. The other rank is played here: its p is added.
 */
#include "check_codes.h"

enum { ROWS = 12, COLUMNS = 9, RANK = 3 };

typedef struct Played {
    int calls, count;
    float got[ROWS * RANK], gave[ROWS * RANK]; /* what the mean was asked of, and its answer */
    float other[ROWS * RANK];
    float *p;
} Played;

static void mean(void *context, float *v, int count)
{
    Played *played = context;
    played->calls++;
    played->count = count;
    WRONG_UNLESS(played->calls == 1,
                 "mean is called %d times in a step: once, of p (the caller "
                 "averages q)",
                 played->calls);
    WRONG_UNLESS(v == played->p, "the mean is not taken of p: the caller averages q");
    WRONG_UNLESS(count == ROWS * RANK, "the mean is over %d numbers, expected rows * rank = %d",
                 count, ROWS * RANK);
    memcpy(played->got, v, sizeof played->got);
    for (int i = 0; i < count; i++)
        played->gave[i] = v[i] = (v[i] + played->other[i]) / 2;
}

/* Column k of x · column j of y. */
static double dot(const float *x, int k, const float *y, int j, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[k * n + i] * y[j * n + i];
    return sum;
}

static void judge_orthonormal(const float *p, int columns)
{
    for (int k = 0; k < columns; k++)
        WRONG_UNLESS(near(dot(p, k, p, k, ROWS), 1, 1e-3),
                     "column %d of p has length %g, expected 1%s", k, sqrt(dot(p, k, p, k, ROWS)),
                     near(sqrt(dot(p, k, p, k, ROWS)), 1, 0.01)
                         ? ""
                         : ": are they divided by it, and after "
                           "the projections are subtracted, not before?");
    for (int k = 0; k < columns; k++)
        for (int j = 0; j < k; j++)
            WRONG_UNLESS(near(dot(p, k, p, j, ROWS), 0, 1e-3),
                         "columns %d and %d of p are not orthogonal: their product is %g%s", j, k,
                         dot(p, k, p, j, ROWS),
                         k > 1 ? ": is a column's projection on each before it subtracted?" : "");
}

/* In the space of the mean that was given, and no other. */
static void judge_space(const Played *played, const float *p)
{
    for (int k = 0; k < RANK; k++) {
        double rest = dot(played->gave, k, played->gave, k, ROWS), all = rest;
        for (int j = 0; j < RANK; j++)
            rest -= pow(dot(played->gave, k, p, j, ROWS), 2);
        WRONG_UNLESS(near(rest, 0, 1e-3 * all),
                     "p's columns do not span what the mean of p over the ranks spans: is the mean "
                     "taken first, then p made orthonormal?");
    }
}

static void judge_step(const float *m, float *q, const float *other, double closeness,
                       const char *what)
{
    float p[ROWS * RANK + 1], q0[COLUMNS * RANK];
    static Played played;
    played = (Played){.p = p};
    memcpy(played.other, other, sizeof played.other);
    memcpy(q0, q, sizeof q0);
    for (int i = 0; i <= ROWS * RANK; i++)
        p[i] = 5;
    low_rank(p, q, m, ROWS, COLUMNS, RANK, mean, &played);
    WRONG_UNLESS(p[ROWS * RANK] == 5, "it writes behind p [rank * rows]");
    WRONG_UNLESS(played.calls, "the mean over the ranks is never taken: each rank keeps its own p");
    float product[ROWS * RANK];
    matrix_times(product, m, q0, ROWS, COLUMNS, RANK);
    bool orthonormal_before = near(dot(played.got, 0, played.got, 0, ROWS), 1, 1e-3) &&
                              near(dot(played.got, 0, played.got, 1, ROWS), 0, 1e-3);
    for (int i = 0; i < ROWS * RANK; i++)
        WRONG_UNLESS(near(played.got[i], product[i], 1e-3), "the mean is not of m q%s",
                     orthonormal_before
                         ? ": p is made orthonormal before, not after it: the mean of such columns "
                           "is not orthonormal"
                         : "");
    judge_orthonormal(p, RANK);
    judge_space(&played, p);
    float factors[COLUMNS * RANK];
    transposed_times(factors, m, p, ROWS, COLUMNS, RANK);
    bool kept = !memcmp(q, q0, sizeof q0);
    for (int i = 0; i < COLUMNS * RANK; i++)
        WRONG_UNLESS(near(q[i], factors[i], 1e-3), "q is not mᵀ p%s",
                     kept ? ": it is still that of the update before"
                          : ": p must be the orthonormal one");
    double off = 0, size = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            double x = m[i * COLUMNS + j];
            size += x * x;
            for (int k = 0; k < RANK; k++)
                x -= p[k * ROWS + i] * q[k * COLUMNS + j];
            off += x * x;
        }
    WRONG_UNLESS(off <= closeness * size, "%s: p qᵀ is %.0f %% off", what, 100 * sqrt(off / size));
}

static void judge_zeros(void)
{
    float m[ROWS * COLUMNS] = {0}, q[COLUMNS * RANK], p[ROWS * RANK];
    Played played = {.p = p};
    draw_normal(q, COLUMNS * RANK, 1, 2);
    low_rank(p, q, m, ROWS, COLUMNS, RANK, mean, &played);
    for (int i = 0; i < ROWS * RANK; i++)
        WRONG_UNLESS(p[i] == 0,
                     "a gradient of zeros: p has %g: is a column of zeros divided by its "
                     "length 0?",
                     p[i]);
    for (int i = 0; i < COLUMNS * RANK; i++)
        WRONG_UNLESS(q[i] == 0, "a gradient of zeros: q has %g, expected 0", q[i]);
}

static void judge(void *unused)
{
    float m[ROWS * COLUMNS] = {0}, x[ROWS * RANK], y[COLUMNS * RANK], q[COLUMNS * RANK],
                   other[ROWS * RANK] = {0};
    draw_normal(x, ROWS * RANK, 1, 11);
    draw_normal(y, COLUMNS * RANK, 1, 12);
    draw_normal(q, COLUMNS * RANK, 1, 13);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int k = 0; k < RANK; k++)
                m[i * COLUMNS + j] += x[k * ROWS + i] * y[k * COLUMNS + j];
    judge_step(m, q, other, 1e-6, "a matrix of rank 3, alone"); /* exact in one step */
    draw_normal(q, COLUMNS * RANK, 1, 14);
    draw_normal(m, ROWS * COLUMNS, 1, 15);
    draw_normal(other, ROWS * RANK, 1, 16);
    for (int step = 0; step < 3; step++)
        judge_step(m, q, other, 1, "any matrix");
    judge_zeros();
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "low_rank", 5,
                          "one mean, of m q; orthonormal columns; q = mᵀ p; exact at full rank",
                          judge);
}
