/* 4c_exposed_seconds.c: the check of exposed_seconds: cases with a name, and random ones. */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>

enum { MOST = 40 };

typedef struct Case {
    const char *what;
    double seconds[4], bytes[4];
    int layers;
    double least;
    double expected; /* with P = 2, latency 1 s and 1 byte/s: an all-reduce takes 1 s + bytes */
} Case;

static const Case cases[] = {
    {"one layer: nothing to hide behind", {5}, {3}, 1, 0, 4},
    {"one bucket of all layers", {1, 2, 3}, {4, 5, 6}, 3, INFINITY, 16},
    {"a fast network: only the last bucket is left", {10, 10, 10}, {1, 1, 2}, 3, 0, 3},
    {"a slow network: each bucket waits for the one before", {1, 1, 1}, {9, 9, 9}, 3, 0, 28},
    {"a network that pauses between two buckets", {1, 9, 1}, {3, 7, 2}, 3, 0, 10},
    {"a bucket of two layers, and the rest", {10, 10, 10, 10}, {4, 4, 4, 3}, 4, 8, 8},
    {"buckets that are exactly full", {10, 10, 10, 10}, {4, 4, 4, 4}, 4, 8, 9},
};

static void judge_case(const Case *c)
{
    Link link = {.bandwidth = 1, .latency = 1};
    double found = exposed_seconds(c->seconds, c->bytes, c->layers, c->least, 2, link);
    WRONG_UNLESS(fabs(found - c->expected) <= 1e-9, "%s: %g s, expected %g s", c->what, found,
                 c->expected);
}

/* The last all-reduce is done when the longest chain is: a bucket is full, and it and all after it
 * go over the network. */
static double longest_chain(const double *full, const double *cost, int buckets)
{
    double longest = 0;
    for (int first = 0; first < buckets; first++) {
        double chain = full[first];
        for (int i = first; i < buckets; i++)
            chain += cost[i];
        longest = fmax(longest, chain);
    }
    return longest;
}

static void judge_random(uint64_t seed)
{
    Rng r = rng_at(seed, RNG_TEST, 4, 0);
    double seconds[MOST], bytes[MOST], full[MOST], cost[MOST], end = 0;
    int layers = 1 + (int)rng_below(&r, MOST), buckets = 0, P = 2 + (int)rng_below(&r, 7);
    Link link = {.bandwidth = 1e6 * (1 + rng_below(&r, 100)), .latency = 1e-5 * rng_below(&r, 100)};
    double least = 1000.0 * rng_below(&r, 200);
    for (int i = 0; i < layers; i++) {
        seconds[i] = 1e-4 * rng_uniform(&r);
        bytes[i] = 4.0 * (1 + rng_below(&r, 20000));
    }
    for (int i = 0, from = 0; i < layers; i++) {
        double size = 0;
        end += seconds[i];
        for (int k = from; k <= i; k++)
            size += bytes[k];
        if (size >= least || i == layers - 1) {
            full[buckets] = end;
            cost[buckets++] = link_seconds(LINK_ALL_REDUCE, P, size, link);
            from = i + 1;
        }
    }
    double found = exposed_seconds(seconds, bytes, layers, least, P, link),
           expected = longest_chain(full, cost, buckets) - end;
    WRONG_UNLESS(fabs(found - expected) <= 1e-9 * (1 + expected),
                 "%d layers in %d buckets on %d ranks: %.9g s, expected %.9g s", layers, buckets, P,
                 found, expected);
}

static void judge(void *unused)
{
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        judge_case(&cases[i]);
    for (uint64_t seed = 1; seed <= 200; seed++)
        judge_random(seed);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "exposed_seconds", 6,
                          "seconds that an update waits for the network, to 1e-9", judge);
}
