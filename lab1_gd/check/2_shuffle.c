/* 2_shuffle.c: the check of shuffle: a permutation, all equally likely, all randomness from r. */
#include "exercise.h"
#include "lab1.h"
#include <math.h>
#include <string.h>

/* Does order[0 … n) hold first … first + n - 1, each once? */
static bool is_permutation(const int *order, int n, int first)
{
    bool seen[1000] = {false};
    for (int i = 0; i < n; i++) {
        if (order[i] < first || order[i] >= first + n || seen[order[i] - first])
            return false;
        seen[order[i] - first] = true;
    }
    return true;
}

static void keeps_the_elements(Rng *r)
{
    static const int sizes[] = {1, 2, 3, 10, 1000};
    for (int s = 0; s < 5; s++) {
        int order[1002], n = sizes[s];
        for (int i = 0; i < n + 2; i++)
            order[i] = 40 + n - i; /* order[1 … n] are shuffled: 40 … 39 + n */
        shuffle(order + 1, n, r);
        WRONG_UNLESS(order[0] == 40 + n && order[n + 1] == 39,
                     "n = %d: it writes outside order[0 … n)", n);
        WRONG_UNLESS(is_permutation(order + 1, n, 40), "n = %d: an element is lost, or there twice",
                     n);
    }
}

static void draws_from_r(void)
{
    enum { N = 100 };
    int order[3][N];
    Rng r = rng_at(5, RNG_TEST, 0, 0), again = r;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < N; i++)
            order[k][i] = i;
        shuffle(order[k], N, k == 1 ? &again : &r);
    }
    WRONG_UNLESS(!memcmp(order[0], order[1], sizeof order[0]),
                 "the same r gave two different orders: all randomness must come from r");
    WRONG_UNLESS(memcmp(order[0], order[2], sizeof order[0]),
                 "two calls in a row gave the same order: draw from *r, not from a copy");
}

/* Each of the 4! = 24 orders of 4 elements should appear in 1/24 of 24,000 shuffles. Chi squared
 * over the 24 counts then has 23 degrees of freedom and exceeds 70 once in a million. Swapping with
 * any of the n positions each time is far off: its 4⁴ equally likely ways cannot fall evenly on 24
 * orders, which gives 2,200 and more. */
static void all_orders_equally_likely(Rng *r)
{
    enum { TIMES = 24000 };
    int count[256] = {0}, orders = 0;
    double chi = 0;
    for (int k = 0; k < TIMES; k++) {
        int order[4] = {0, 1, 2, 3};
        shuffle(order, 4, r);
        count[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
    }
    int least = TIMES, most = 0;
    for (int code = 0; code < 256; code++) {
        int order[4] = {code >> 6, code >> 4 & 3, code >> 2 & 3, code & 3};
        if (!is_permutation(order, 4, 0))
            continue;
        orders += count[code] > 0;
        least = count[code] < least ? count[code] : least;
        most = count[code] > most ? count[code] : most;
        chi += pow(count[code] - TIMES / 24, 2) / (TIMES / 24);
    }
    WRONG_UNLESS(orders == 24, "of the 24 orders of 4 elements, 24,000 shuffles gave only %d",
                 orders);
    WRONG_UNLESS(chi < 70,
                 "24,000 shuffles of 4 elements: one order came %d times, another %d times, "
                 "expected about 1000 each",
                 least, most);
}

static void judge(void *unused)
{
    Rng r = rng_at(3, RNG_TEST, 1, 0);
    keeps_the_elements(&r);
    draws_from_r();
    all_orders_equally_likely(&r);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "shuffle", 10,
                          "a permutation, all equally likely, all randomness from r", judge);
}
