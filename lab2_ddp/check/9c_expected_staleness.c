/* 9c_expected_staleness.c: the check of expected_staleness: cases with a name, then gradients that
 * arrive one by one.
 */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>
#include <string.h>

enum { MOST = 6 };

static void expect(const char *why, const double *period, int workers, int worker, double expected)
{
    double found = expected_staleness(period, workers, worker);
    WRONG_UNLESS(fabs(found - expected) <= 1e-9 * (1 + expected),
                 "%d workers, worker %d: %.6g, expected %.6g: %s", workers, worker, found, expected,
                 why);
}

/* Counted: worker i's gradients arrive at phase[i] + k period[i]. */
static void count(const double *period, int workers, double stale[MOST], double *all)
{
    double next[MOST], sum[MOST] = {0}, total = 0;
    long since[MOST] = {0}, number[MOST] = {0}, made = 0, both = 0;
    for (int i = 0; i < workers; i++)
        next[i] = period[i] * (0.3 + 0.1 * i);
    while (made < 200000) {
        int first = 0;
        for (int i = 1; i < workers; i++)
            first = next[i] < next[first] ? i : first;
        if (number[first]++) { /* its first was computed with the first weights */
            sum[first] += (double)(made - since[first]);
            total += (double)(made - since[first]);
            both++;
        }
        since[first] = ++made;
        next[first] += period[first];
    }
    for (int i = 0; i < workers; i++)
        stale[i] = sum[i] / (double)(number[i] - 1);
    *all = total / (double)both;
}

static void judge_counted(uint64_t seed)
{
    Rng r = rng_at(seed, RNG_TEST, 9, 3);
    int workers = 2 + (int)rng_below(&r, MOST - 1);
    double period[MOST], stale[MOST], all;
    for (int i = 0; i < workers; i++)
        period[i] = 0.2 + rng_uniform(&r);
    count(period, workers, stale, &all);
    for (int i = -1; i < workers; i++) {
        double found = expected_staleness(period, workers, i), counted = i < 0 ? all : stale[i];
        WRONG_UNLESS(
            fabs(found - counted) <= 0.01 * (1 + counted),
            "%d workers, worker %d: %.4f, but of 200,000 gradients that arrive the mean is "
            "%.4f",
            workers, i, found, counted);
    }
}

static void judge(void *unused)
{
    static const double equal[] = {2, 2, 2, 2}, slow[] = {1, 1, 1, 4};
    expect("one worker: nobody else makes an update", equal, 1, 0, 0);
    expect("one worker: nobody else makes an update", equal, 1, -1, 0);
    expect("in its period every other worker sends one gradient; its own does not count", equal, 4,
           1, 3);
    expect("of all gradients", equal, 4, -1, 3);
    expect("the slow worker: in 4 seconds each of the others sends 4", slow, 4, 3, 12);
    expect("a fast worker: in 1 second the slow one sends a quarter of a gradient", slow, 4, 0,
           2.25);
    expect("of all gradients: the slow worker sends few of them, so this is no plain mean over the "
           "workers",
           slow, 4, -1, 3);
    for (uint64_t seed = 1; seed <= 10; seed++)
        judge_counted(seed);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "expected_staleness", 5,
                          "the mean number of updates between weights and gradient", judge);
}
