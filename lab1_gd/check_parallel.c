/* check_parallel.c: judges of the exercises about the timeline of a step and about the three parallelisms. */
#include <math.h>
#include <string.h>
#include "judge.h"
#include "lab1.h"
#include "rng.h"

/* ---- busy ---- */

static void expect_busy(const double *start, const double *end, int n, double from, double to, double expected, const char *what)
{
    double found = busy(start, end, n, from, to);
    WRONG_UNLESS(fabs(found - expected) <= 1e-12, "%s: %g s within [%g, %g], expected %g", what, found, from, to, expected);
}

/* Spans of whole ticks, so that the answer can be counted: which ticks are covered by any of them? */
static void busy_counted(uint64_t seed)
{
    enum { TICKS = 64, MOST = 20 };
    Rng r = rng_at(seed, RNG_TEST, 1, 0);
    double start[MOST], end[MOST], before[2 * MOST];
    bool covered[TICKS] = {false};
    int n = (int)rng_below(&r, MOST + 1), from = (int)rng_below(&r, 20), to = from + (int)rng_below(&r, 40), expected = 0;
    for (int i = 0; i < n; i++) {
        int first = (int)rng_below(&r, TICKS - 8), length = (int)rng_below(&r, 8);
        start[i] = first;
        end[i] = first + length;
        for (int t = first; t < first + length; t++)
            covered[t] = true;
    }
    for (int t = from; t < to; t++)
        expected += covered[t];
    memcpy(before, start, sizeof start);
    memcpy(before + MOST, end, sizeof end);
    expect_busy(start, end, n, from, to, expected, "spans in any order");
    WRONG_UNLESS(n == 0 || (!memcmp(before, start, n * sizeof *start) && !memcmp(before + MOST, end, n * sizeof *end)),
                 "the arrays were changed");
}

void judge_busy(void *unused)
{
    (void)unused;
    expect_busy((double[]){1, 4}, (double[]){2, 6}, 2, 0, 10, 3, "two spans, one after the other");
    expect_busy((double[]){1, 2}, (double[]){3, 4}, 2, 0, 10, 3, "two spans that overlap");
    expect_busy((double[]){1, 2}, (double[]){6, 3}, 2, 0, 10, 5, "a span inside another");
    expect_busy((double[]){4, 1}, (double[]){6, 2}, 2, 0, 10, 3, "spans that are not sorted");
    expect_busy((double[]){-3, 8}, (double[]){2, 20}, 2, 0, 10, 4, "spans that reach beyond both ends");
    expect_busy((double[]){-3, 12}, (double[]){-1, 20}, 2, 0, 10, 0, "spans outside");
    expect_busy((double[]){1, 2}, (double[]){2, 3}, 2, 0, 10, 2, "spans that touch");
    expect_busy((double[]){5}, (double[]){5}, 1, 0, 10, 0, "an empty span");
    expect_busy((double[]){0}, (double[]){0}, 0, 0, 10, 0, "no spans");
    for (uint64_t seed = 1; seed <= 200; seed++)
        busy_counted(seed);
}

/* ---- pipeline_turn ---- */

/* When stage s works on micro-batch m: its only tick in this direction. */
static int tick_of(int stage, int S, int M, int micro, bool backward)
{
    int found = -1, last = 2 * (M + S - 1);
    for (int t = 0; t < last; t++) {
        Turn turn = pipeline_turn(stage, S, M, t);
        WRONG_UNLESS(turn.micro >= -1 && turn.micro < M, "stage %d of %d, %d micro-batches, tick %d: micro-batch %d", stage, S, M, t,
                     turn.micro);
        if (turn.micro != micro || turn.backward != backward)
            continue;
        WRONG_UNLESS(found < 0, "stage %d of %d does micro-batch %d %s twice, at ticks %d and %d", stage, S, micro,
                     backward ? "backward" : "forward", found, t);
        found = t;
    }
    WRONG_UNLESS(found >= 0, "stage %d of %d with %d micro-batches never does micro-batch %d %s", stage, S, M, micro,
                 backward ? "backward" : "forward");
    return found;
}

static void judge_pipeline(int S, int M)
{
    for (int s = 0; s < S; s++)
        for (int m = 0; m < M; m++) {
            int forward = tick_of(s, S, M, m, false), backward = tick_of(s, S, M, m, true);
            int due = s + m, due_back = M + S - 1 + (S - 1 - s) + (M - 1 - m);
            WRONG_UNLESS(forward == due, "stage %d of %d, %d micro-batches: micro-batch %d forward at tick %d, expected %d", s, S, M, m,
                         forward, due);
            WRONG_UNLESS(backward == due_back, "stage %d of %d, %d micro-batches: micro-batch %d backward at tick %d, expected %d", s,
                         S, M, m, backward, due_back);
        }
    for (int s = 0; s < S; s++)
        for (int t = -2; t < 2 * (M + S - 1) + 2; t += t == -1 ? 2 * (M + S - 1) + 1 : 1)
            WRONG_UNLESS(pipeline_turn(s, S, M, t).micro == -1, "stage %d of %d, %d micro-batches: busy at tick %d, outside the schedule", s,
                         S, M, t);
}

void judge_pipeline_turn(void *unused)
{
    (void)unused;
    judge_pipeline(1, 1);
    judge_pipeline(2, 1);
    for (int S = 1; S <= 5; S++)
        for (int M = 1; M <= 8; M++)
            judge_pipeline(S, M);
}

/* ---- column_shard ---- */

void judge_column_shard(void *unused)
{
    (void)unused;
    static const int cases[][2] = {{8, 2}, {8, 1}, {10, 4}, {512, 3}, {7, 7}, {3, 4}, {1, 1}, {1000, 7}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int columns = cases[i][0], ranks = cases[i][1], next = 0;
        for (int r = 0; r < ranks; r++) {
            int first = -1, count = -1, due = columns / ranks + (r < columns % ranks);
            column_shard(&first, &count, columns, r, ranks);
            WRONG_UNLESS(first == next && count == due, "%d columns on %d ranks: rank %d has [%d, %d), expected [%d, %d)", columns, ranks,
                         r, first, first + count, next, next + due);
            next += count;
        }
    }
}
