/* 6a_efficiency.c: the check of efficiency: cases with a name, the usual mistakes, random cases. */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>

/* Bucket after bucket. */
static double followed(int P, UpdateWork w, Link link)
{
    double cost = P > 1 ? link_seconds(LINK_ALL_REDUCE, P, w.bytes / w.buckets, link) : 0, free = 0;
    for (int i = 1; i <= w.buckets; i++)
        free = fmax(free, w.forward + w.backward * i / w.buckets) + cost;
    return (w.forward + w.backward) / free;
}

/* What a mistake makes of it. */
typedef struct Slip {
    double (*value)(int P, UpdateWork w, Link link);
    const char *words;
} Slip;

static double share_that_waits(int P, UpdateWork w, Link l) { return 1 - followed(P, w, l); }
static double speed_up(int P, UpdateWork w, Link l) { return P * followed(P, w, l); }
static double inverse(int P, UpdateWork w, Link l) { return 1 / followed(P, w, l); }

static double flat(int P, UpdateWork w, Link l)
{
    w.buckets = 1;
    return followed(P, w, l);
}

static double in_bits(int P, UpdateWork w, Link l)
{
    w.bytes *= 8;
    return followed(P, w, l);
}

static double smaller_batches(int P, UpdateWork w, Link l)
{
    double exchange = (w.forward + w.backward) * (1 / followed(P, w, l) - 1);
    return (w.forward + w.backward) / P / ((w.forward + w.backward) / P + exchange);
}

static double all_hidden(int P, UpdateWork w, Link l)
{
    double one = P > 1 ? link_seconds(LINK_ALL_REDUCE, P, w.bytes / w.buckets, l) : 0;
    return (w.forward + w.backward) / (w.forward + fmax(w.backward, w.buckets * one));
}

static double last_alone(int P, UpdateWork w, Link l)
{
    double one = P > 1 ? link_seconds(LINK_ALL_REDUCE, P, w.bytes / w.buckets, l) : 0;
    return (w.forward + w.backward) / (w.forward + w.backward + one);
}

static double one_latency(int P, UpdateWork w, Link l)
{
    l.latency /= w.buckets;
    return followed(P, w, l);
}

static const Slip mistakes[] = {
    {share_that_waits, "that is the share that waits: computing is the rest"},
    {speed_up, "that is the speed-up: the efficiency is 1/P of it"},
    {inverse, "that is its inverse: an efficiency is at most 1"},
    {in_bits, "that takes bytes for bits: link_seconds takes bytes, and a Link bytes per second"},
    {smaller_batches, "that divides the computing by P: each rank has its own batch"},
    {flat, "nothing overlaps: the first bucket is complete long before the backward pass ends"},
    {all_hidden, "the exchange begins with the backward pass: it can begin only when the first "
                 "bucket is complete, and the last bucket comes after the pass"},
    {last_alone, "only the last bucket waits: on a slow network each waits for the one before"},
    {one_latency, "each bucket costs latencies of its own: work.bytes / work.buckets bytes in one "
                  "call of link_seconds"},
};

static bool near(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }

static void expect_efficiency(const char *what, int P, UpdateWork w, Link link)
{
    double found = efficiency(P, w, link), expected = followed(P, w, link);
    const char *words = "";
    if (near(found, expected))
        return;
    for (int i = 0; i < (int)(sizeof mistakes / sizeof *mistakes) && !*words; i++)
        if (near(found, mistakes[i].value(P, w, link)))
            words = mistakes[i].words;
    exercise_wrong("%s (%d ranks, %d bucket%s): %.6g, expected %.6g%s%s", what, P, w.buckets,
                   w.buckets == 1 ? "" : "s", found, expected, *words ? ": " : "", words);
}

static void judge(void *unused)
{
    Link link = {.bandwidth = 1e8, .latency = 1e-3}, slow = {1e6, 1e-3}, fast = {1e10, 1e-6};
    UpdateWork flat_work = {0.1, 0.3, 2e7, 1}, parts = {0.1, 0.25, 2e7, 5};
    expect_efficiency("one rank exchanges nothing", 1, flat_work, link);
    expect_efficiency("all after the backward pass", 4, flat_work, link);
    expect_efficiency("overlapped", 4, parts, link);
    expect_efficiency("overlapped, on a slow network", 4, parts, slow);
    expect_efficiency("overlapped, on a fast network", 4, parts, fast);
    expect_efficiency("no time to hide behind", 8, (UpdateWork){0.4, 0, 2e7, 4}, link);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        Rng r = rng_at(seed, RNG_TEST, 6, 0);
        int P = 1 + (int)rng_below(&r, 64);
        UpdateWork w = {rng_uniform(&r), rng_uniform(&r), 1e6 * (1 + rng_below(&r, 100)),
                        1 + (int)rng_below(&r, 20)};
        Link l = {pow(10, 6 + 4 * rng_uniform(&r)), pow(10, -6 + 4 * rng_uniform(&r))};
        expect_efficiency("a random case", P, w, l);
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "efficiency", 6,
                          "the share of an update that computes, to 1e-9", judge);
}
