/* sgd_sampling.c: see sgd_sampling.h. */
#include "sgd_sampling.h"
#include "check.h"
#include "lab1.h"

/* `count` different elements of 0 … n-1, all subsets equally likely: each is taken with probability
 * (still needed) / (still to come) (Knuth, TAOCP 2, algorithm 3.4.2 S). */
static void draw_different(int *out, int count, int n, Rng *r)
{
    for (int i = 0, taken = 0; taken < count; i++)
        if ((int)rng_below(r, n - i) < count - taken)
            out[taken++] = i;
}

int sgd_order(int *order, int n, SgdSampling sampling, int batch, uint64_t seed, int epoch)
{
    Rng r = rng_at(seed, RNG_ORDER, (uint32_t)epoch, 0);
    int used = sampling == SGD_SHUFFLED ? n : n / batch * batch;
    for (int i = 0; i < used; i++)
        order[i] = sampling == SGD_WITH ? (int)rng_below(&r, n) : i;
    if (sampling == SGD_SHUFFLED)
        shuffle(order, n, &r);
    for (int i = 0; sampling == SGD_SHUFFLED && i < n; i++) /* they become indices */
        if (order[i] < 0 || order[i] >= n)
            die(EXIT_WRONG, "lab1_gd/exercises/2_shuffle.c left %d in an order of 0 to %d",
                order[i], n - 1);
    for (int first = 0; sampling == SGD_WITHOUT && first < used; first += batch)
        draw_different(order + first, batch, n, &r);
    return used;
}
