/* 6b_bandwidth_for.c: the check of bandwidth_for: put into link_seconds, does it give what was
 * wanted, and does less not? */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>

typedef struct Case {
    int P;
    double compute, bytes, latency, wanted;
} Case;

/* Of all after the backward pass. */
static double reached(const Case *c, double bandwidth)
{
    Link link = {bandwidth, c->latency};
    return c->compute / (c->compute + link_seconds(LINK_ALL_REDUCE, c->P, c->bytes, link));
}

/* The usual mistakes are a factor. */
static const char *words_for(const Case *c, double ratio)
{
    const struct {
        double factor;
        const char *words;
    } mistakes[] = {{8, ": that is in bits per second"},
                    {1 / 8., ": that is divided by 8: bytes and bytes per second need no factor"},
                    {1e-6, ": that is in megabytes per second"},
                    {8e-6, ": that is in Mbit/s"},
                    {c->P, ": that is P times as much: does each rank have its own whole batch?"},
                    {1 / c->wanted - 1, ": the time allowed is computing * (1 / wanted - 1)"},
                    {c->P / (c->P - 1.), ": 2 (P-1)/P vectors go through a card, not 2"},
                    {0.5, ": half of it: an all-reduce is a reduce-scatter and an all-gather"}};
    for (int i = 0; i < (int)(sizeof mistakes / sizeof *mistakes); i++)
        if (fabs(ratio / mistakes[i].factor - 1) < 1e-6 && fabs(ratio - 1) > 1e-6)
            return mistakes[i].words;
    return "";
}

/* By halving an interval. */
static double by_search(const Case *c)
{
    double low = -30, high = 30; /* its logarithm */
    if (c->P == 1)
        return 0;
    if (reached(c, INFINITY) <= c->wanted)
        return INFINITY;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        *(reached(c, pow(10, middle)) >= c->wanted ? &high : &low) = middle;
    }
    return pow(10, high);
}

static void judge_case(const char *what, Case c)
{
    UpdateWork w = {c.compute / 4, c.compute * 3 / 4, c.bytes, 7};
    double found = bandwidth_for(c.P, w, c.latency, c.wanted), expected = by_search(&c);
    if (found == expected || (isfinite(expected) && fabs(found - expected) <= 1e-9 * expected))
        return;
    exercise_wrong("%s (%d ranks, %g s of computing, %g bytes, latency %g s, wanted %g): %.6g "
                   "bytes/s, expected %.6g%s",
                   what, c.P, c.compute, c.bytes, c.latency, c.wanted, found, expected,
                   isfinite(expected) && expected > 0 ? words_for(&c, found / expected) : "");
}

static void judge(void *unused)
{
    judge_case("no latency", (Case){4, 0.1, 1e7, 0, 0.5});
    judge_case("another efficiency", (Case){4, 0.1, 1e7, 0, 0.8});
    judge_case("as fast as one rank", (Case){8, 0.1, 1e7, 0, 1 / 8.});
    judge_case("with a latency", (Case){8, 0.1, 1e7, 1e-3, 0.5});
    judge_case("the latency alone takes too long", (Case){8, 0.1, 1e7, 0.05, 0.5});
    judge_case("recursive doubling is in time", (Case){8, 0.1, 1e4, 0.03, 0.5});
    judge_case("three ranks", (Case){3, 0.1, 1e7, 1e-3, 0.5});
    judge_case("one rank", (Case){1, 0.1, 1e7, 1e-3, 0.5});
    for (uint64_t seed = 1; seed <= 200; seed++) {
        Rng r = rng_at(seed, RNG_TEST, 6, 1);
        judge_case("a random case",
                   (Case){1 + (int)rng_below(&r, 40), pow(10, -3 + 2 * rng_uniform(&r)),
                          pow(10, 4 + 4 * rng_uniform(&r)), pow(10, -6 + 4 * rng_uniform(&r)),
                          0.05 + 0.9 * rng_uniform(&r)});
    }
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "bandwidth_for", 4,
                          "the least bandwidth for an efficiency, to 1e-9", judge);
}
