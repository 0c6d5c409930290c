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
    static const int sizes[] = {10, 2, 3, 1, 1000};
    for (int s = 0; s < 5; s++) {
        int order[1002], n = sizes[s];
        for (int i = 0; i < n + 2; i++)
            order[i] = 40 + n - i; /* order[1 … n] are shuffled: 40 … 39 + n */
        shuffle(order + 1, n, r);
        bool numbers = is_permutation(order + 1, n, 0), zero = false;
        for (int i = 1; i <= n; i++)
            zero = zero || order[i] == 0;
        WRONG_UNLESS(order[0] == 40 + n,
                     "off by one: it writes before the start of the array, at order[-1], with n = "
                     "%d",
                     n);
        WRONG_UNLESS(order[n + 1] == 39,
                     "off by one: it writes past the end of the array, at order[n], with n = %d",
                     n);
        WRONG_UNLESS(!numbers, "it replaces the elements by 0 … n-1: it must move those that are "
                               "in order");
        WRONG_UNLESS(!zero,
                     "an element became 0, with n = %d: a swap by ^ (or by + and −) does that "
                     "where i == j; keep one of the two in a third variable",
                     n);
        WRONG_UNLESS(is_permutation(order + 1, n, 40),
                     "an element is lost, and another there twice, with n = %d: a swap needs a "
                     "third variable that keeps one of the two",
                     n);
    }
}

/* `j = rng_below(r, n - i)` without `i +`, over all positions or all but the last: is it that? */
static bool forgets_i(const int *order, int n, int positions)
{
    int wrong[1000];
    Rng r = rng_at(5, RNG_TEST, 0, 0);
    for (int i = 0; i < n; i++)
        wrong[i] = i;
    for (int i = 0; i < positions; i++) {
        int j = (int)rng_below(&r, (uint32_t)(n - i)), kept = wrong[i];
        wrong[i] = wrong[j];
        wrong[j] = kept;
    }
    return !memcmp(order, wrong, n * sizeof *order);
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
    WRONG_UNLESS(!memcmp(order[0], order[1], sizeof order[0]),
                 "the same r gave two different orders: all randomness must come from r, not from "
                 "rand() or a clock");
    WRONG_UNLESS(!forgets_i(order[0], N, N) && !forgets_i(order[0], N, N - 1),
                 "`i +` is missing: rng_below(r, n − i) is one of 0 … n − i − 1, and position i "
                 "must draw from i … n − 1");
    WRONG_UNLESS(memcmp(&r, &before, sizeof r),
                 "it does not draw from *r: another generator, or a copy of r, gives the same "
                 "order in every call");
    WRONG_UNLESS(memcmp(order[0], order[2], sizeof order[0]),
                 "two calls in a row gave the same order: draw from *r, not from a copy");
}

typedef struct Orders {
    int found, least, most; /* how many different ones; how often the rarest, the commonest came */
    int still[4];           /* how often each element stayed in its place */
    double chi;             /* squared: of the counts */
} Orders;

enum { TIMES = 24000 };

static Orders count_orders(Rng *r)
{
    int count[256] = {0};
    Orders o = {.least = TIMES};
    for (int k = 0; k < TIMES; k++) {
        int order[4] = {0, 1, 2, 3};
        shuffle(order, 4, r);
        count[order[0] << 6 | order[1] << 4 | order[2] << 2 | order[3]]++;
        for (int i = 0; i < 4; i++)
            o.still[i] += order[i] == i;
    }
    for (int code = 0; code < 256; code++) {
        int order[4] = {code >> 6, code >> 4 & 3, code >> 2 & 3, code & 3};
        if (!is_permutation(order, 4, 0))
            continue;
        o.found += count[code] > 0;
        o.least = count[code] < o.least ? count[code] : o.least;
        o.most = count[code] > o.most ? count[code] : o.most;
        o.chi += pow(count[code] - TIMES / 24, 2) / (TIMES / 24);
    }
    return o;
}

/* Which element never moves, or NULL. */
static const char *stays(const Orders *o)
{
    return o->still[0] == TIMES ? "the first element never moves: off by one"
         : o->still[3] == TIMES ? "the last element never moves: off by one"
                                : NULL;
}

/* Each of the 4! = 24 orders of 4 elements should appear in 1/24 of the shuffles. Chi squared
 * over the 24 counts then has 23 degrees of freedom and exceeds 70 once in a million. Swapping with
 * any of the n positions each time is far off: its 4⁴ equally likely ways cannot fall evenly on 24
 * orders, which gives 2,200 and more. */
static void all_orders_equally_likely(Rng *r)
{
    Orders o = count_orders(r);
    WRONG_UNLESS(!stays(&o), "%s (%d of the 24 orders of 4 elements appear)", stays(&o), o.found);
    WRONG_UNLESS(
        o.found != 6 || o.still[0] + o.still[1] + o.still[2] + o.still[3] > 0,
        "only 6 of the 24 orders of 4 elements appear: position i must be able to keep its own "
        "element");
    WRONG_UNLESS(o.found != 4, "it only rotates the order, by a random number of places");
    WRONG_UNLESS(
        o.found != 12,
        "off by one: one step is missing, so only 12 of the 24 orders of 4 elements appear "
        "(which two elements are never swapped with each other alone?)");
    WRONG_UNLESS(o.found == 24, "of the 24 orders of 4 elements, 24,000 shuffles gave only %d",
                 o.found);
    WRONG_UNLESS(
        o.chi < 70 || o.least < 250 || o.most > 2300,
        "is each position swapped with any of all n? Its n^n ways cannot fall evenly on n! "
        "orders: draw among those not placed yet (in 24,000 shuffles of 4 elements one "
        "order came %d times, another %d times, expected 1000)",
        o.least, o.most);
    WRONG_UNLESS(o.chi < 70,
                 "not all orders are equally likely: in 24,000 shuffles of 4 elements one came %d "
                 "times, another %d times, expected about 1000 each",
                 o.least, o.most);
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
