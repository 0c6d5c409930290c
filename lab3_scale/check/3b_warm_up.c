/* 3b_warm_up.c: the check of warm_up: its ends, its increments, then every value. */
#include "exercise.h"
#include "lab3.h"
#include <math.h>

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1, fabs(b)); }

static void judge_warm_up(double from, double to, int64_t updates)
{
    double first = warm_up(from, to, 0, updates), last = warm_up(from, to, updates - 1, updates),
           full = warm_up(from, to, updates, updates),
           later = warm_up(from, to, 10 * updates, updates);
    long n = (long)updates;
    WRONG_UNLESS(near(first, from),
                 "update 0 of %ld: %g, expected %g: the warm-up begins with "
                 "`from`",
                 n, first, from);
    WRONG_UNLESS(!near(later, to + 9 * (to - from)) || from == to,
                 "update %ld, long after the warm-up: %g: it grows on and on, expected %g", 10 * n,
                 later, to);
    WRONG_UNLESS(near(later, to), "update %ld, long after the warm-up: %g, expected %g", 10 * n,
                 later, to);
    WRONG_UNLESS(near(full, to), "update %ld, the first after the warm-up: %g, expected %g", n,
                 full, to);
    WRONG_UNLESS(n == 1 || from == to || !near(last, to),
                 "update %ld, the last of the warm-up, has the full rate: that is number %ld's: "
                 "the increment is (to - from) / updates",
                 n - 1, n);
    for (int64_t u = 1; u < updates; u++) {
        double before = warm_up(from, to, u - 1, updates), now = warm_up(from, to, u, updates),
               step = (to - from) / (double)updates;
        WRONG_UNLESS(near(now - before, step),
                     "from update %ld to %ld of %ld it grows by %g, expected %g: the same "
                     "increment each time",
                     (long)u - 1, (long)u, n, now - before, step);
    }
}

static void judge(void *unused)
{
    judge_warm_up(0.01, 0.21, 10);
    judge_warm_up(0.1, 0.1, 4);
    judge_warm_up(0, 1, 5);
    judge_warm_up(0.4, 0.2, 8);
    judge_warm_up(0.01, 0.21, 1);
    judge_warm_up(0.01, 0.32, 100000);
    double none = warm_up(0.01, 0.21, 0, 0);
    WRONG_UNLESS(near(none, 0.21), "updates 0, no warm-up: update 0 has %g, expected 0.21", none);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "warm_up", 5,
                          "`from` at update 0, equal increments, `to` from number `updates` on",
                          judge);
}
