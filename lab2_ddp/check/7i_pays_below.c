/* 7i_pays_below.c: the check of pays_below: at the bandwidth that it returns both take as long. */
#include "check_codes.h"

static double seconds(Cost c, double bandwidth)
{
    return c.updates * (c.seconds + c.bytes / bandwidth);
}

static const char *why(Cost plain, Cost remedy, double found)
{
    double single = (plain.bytes - remedy.bytes) / (remedy.seconds - plain.seconds);
    double expected = (plain.updates * plain.bytes - remedy.updates * remedy.bytes) /
                      (remedy.updates * remedy.seconds - plain.updates * plain.seconds);
    return near(found, single, 1e-6 * fabs(single)) ? ": that compares single updates: how many of "
                                                      "them does each take?"
         : near(found, 8 * expected, 1e-6 * fabs(expected)) ? ": in bit/s; expected bytes/s"
         : near(found, 1 / expected, 1e-6 / fabs(expected)) ? ": that is seconds per byte"
         : found < 0                                        ? ": a bandwidth is not negative"
                                                            : "";
}

static void expect(Cost plain, Cost remedy, double expected, const char *what)
{
    double found = pays_below(plain, remedy);
    WRONG_UNLESS(isinf(expected) ? found == expected : near(found, expected, 1e-6 * fabs(expected)),
                 "%s: %g, expected %g%s", what, found, expected,
                 isfinite(expected) && expected > 0 ? why(plain, remedy, found)
                 : found < 0                        ? ": a bandwidth is not negative"
                                                    : "");
}

/* Below it the remedy is faster, above it the plain exchange. */
static void judge_drawn(uint32_t number)
{
    Rng r = rng_at(7, RNG_TEST, number, 4);
    Cost plain = {100 + rng_below(&r, 100), 0.01 + 0.01 * rng_uniform(&r), 1e6},
         remedy = {100 + rng_below(&r, 150), 0.01 + 0.02 * rng_uniform(&r), 1e6 * rng_uniform(&r)};
    double b = pays_below(plain, remedy);
    char what[200];
    snprintf(what, sizeof what, "plain %g * (%.4f s + %g bytes), remedy %g * (%.4f s + %.0f bytes)",
             plain.updates, plain.seconds, plain.bytes, remedy.updates, remedy.seconds,
             remedy.bytes);
    WRONG_UNLESS(b >= 0, "%s: %g: a bandwidth is not negative", what, b);
    bool slow = seconds(remedy, 1) < seconds(plain, 1),
         fast = seconds(remedy, 1e15) < seconds(plain, 1e15);
    WRONG_UNLESS((b > 0) == slow, "%s: %g, though on slow links the remedy takes %s", what, b,
                 slow ? "less" : "more");
    WRONG_UNLESS(!slow || isinf(b) == fast,
                 "%s: %g, though on the fastest links the remedy takes %s", what, b,
                 fast ? "less" : "more");
    if (b > 0 && isfinite(b))
        WRONG_UNLESS(near(seconds(plain, b), seconds(remedy, b), 1e-6 * seconds(plain, b)),
                     "%s: %g, where plain takes %g s and the remedy %g s%s", what, b,
                     seconds(plain, b), seconds(remedy, b), why(plain, remedy, b));
}

static void judge(void *unused)
{
    Cost plain = {100, 0.01, 8e6};
    expect(plain, (Cost){100, 0.02, 2e6}, 6e8, "6 MB less, 10 ms more, the same updates");
    expect(plain, (Cost){200, 0.02, 2e6}, 4e8 / 3,
           "2 of 8 MB, twice the seconds, twice the updates");
    expect(plain, (Cost){INFINITY, 0.02, 1e5}, 0, "it never reaches the target");
    expect(plain, (Cost){100, 0.009, 2e6}, INFINITY, "fewer bytes, and fewer seconds");
    expect(plain, (Cost){50, 0.011, 2e6}, INFINITY, "half the updates");
    expect(plain, (Cost){500, 0.011, 2e6}, 0, "a quarter of the bytes, five times the updates");
    expect(plain, (Cost){100, 0.005, 9e6}, 0, "more bytes, fewer seconds (pays above, not below)");
    expect(plain, (Cost){100, 0.02, 8e6}, 0, "the same bytes, more seconds");
    for (uint32_t k = 0; k < 500; k++)
        judge_drawn(k);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "pays_below", 3,
                          "the bandwidth at which both take as long; 0 never, INFINITY always",
                          judge);
}
