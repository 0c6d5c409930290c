/* 2_shuffle_check.c: the check of shuffle: a permutation, all equally likely, all randomness from
 * r. */
#include "exercise.h"
#include "lab1.h"
#include <string.h>

enum { MOST = 300, TIMES = 24000 };

/* order[1 … n] are shuffled. */
static void keeps_the_elements(int n, Rng *r)
{
    int order[MOST + 2], times[MOST + 2] = {0}, zeros = 0, missing = 0;
    for (int i = 0; i < n + 2; i++)
        order[i] = 400 - i;
    exercise_case("n = %d", n);
    shuffle(order + 1, n, r);
    WRONG_UNLESS(order[0] == 400,
                 "off by one: it writes before the start of the array, at order[-1], with n = %d",
                 n);
    WRONG_UNLESS(order[n + 1] == 400 - n - 1,
                 "off by one: it writes past the end of the array, at order[n], with n = %d", n);
    for (int i = 1; i <= n; i++) {
        zeros += order[i] == 0;
        if (order[i] <= 400 && order[i] >= 400 - n - 1)
            times[400 - order[i]]++;
    }
    for (int i = 1; i <= n; i++)
        missing += times[i] == 0;
    exercise_value("the number of elements that are lost", missing);
    exercise_value("the number of elements that became 0", zeros);
}

static void draws_from_r(void)
{
    enum { N = 100 };
    int order[3][N], still = 0, back = 0;
    Rng r = rng_at(5, RNG_TEST, 0, 0), again = r, before = r;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++)
            order[k][i] = i;
        shuffle(order[k], N, k == 1 ? &again : &r);
    }
    for (int i = 0; i < N; i++) {
        still += order[0][i] == i;
        back += order[0][i] == N - 1 - i;
    }
    WRONG_UNLESS(still < N, "it leaves the order as it was");
    WRONG_UNLESS(back < N, "it only reverses the order: the last becomes the first");
    WRONG_UNLESS(!memcmp(order[0], order[1], sizeof *order),
                 "the same r gave two different orders: all randomness must come from r, not from "
                 "rand() or a clock");
    WRONG_UNLESS(memcmp(&r, &before, sizeof r) && memcmp(order[0], order[2], sizeof *order),
                 "it does not draw from *r: another generator, or a copy of r, gives the same "
                 "order in every call");
}

/* Each of the 24 orders of 4 elements should come 1000 times, give or take 32. Chi squared then has
 * 23 degrees of freedom, and exceeds 70 once in a million. */
static void all_orders_equally_likely(Rng *r)
{
    int count[256] = {0};
    double chi = 0;
    for (int k = 0; k < TIMES; k++) {
        int order[4] = {0, 1, 2, 3};
        shuffle(order, 4, r);
        count[(order[0] & 3) << 6 | (order[1] & 3) << 4 | (order[2] & 3) << 2 | (order[3] & 3)]++;
    }
    exercise_tolerance(160, 0);
    for (int code = 0; code < 256; code++) {
        int a = code >> 6, b = code >> 4 & 3, c = code >> 2 & 3, d = code & 3;
        if ((1 << a | 1 << b | 1 << c | 1 << d) != 15)
            continue;
        exercise_case("24,000 shuffles of 0 1 2 3: order %d %d %d %d", a, b, c, d);
        exercise_value("how often it came", count[code]);
        chi += (count[code] - 1000.0) * (count[code] - 1000) / 1000;
    }
    exercise_tolerance(50, 0);
    exercise_case("24,000 shuffles of 0 1 2 3: each order should come about 1000 times");
    exercise_value("chi squared, 150 at most", chi < 150 ? chi : 150);
}

static void judge(void *unused)
{
    Rng r = rng_at(3, RNG_TEST, 1, 0);
    static const int sizes[] = {1, 2, 3, 10, MOST};
    for (int k = 0; k < 5; k++)
        keeps_the_elements(sizes[k], &r);
    draws_from_r();
    all_orders_equally_likely(&r);
}

const ExerciseCheck exercise_check = {__FILE__, "shuffle", 10,
                                      "a permutation, all equally likely, all randomness from r",
                                      judge};
