/* 9a_serve_next.c: the check of serve_next: queues with a name, then random ones. */
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <stdlib.h>

enum { MOST = 12 };

static void expect(const char *why, const Arrived *queue, int n, int version, int wait_for,
                   const int *expected, int count)
{
    int use[MOST + 2];
    for (int i = 0; i < MOST + 2; i++)
        use[i] = -7;
    int found = serve_next(use, queue, n, version, wait_for);
    WRONG_UNLESS(found == count,
                 "%s: it returns %d with %d gradients in the queue and wait_for = "
                 "%d, expected %d",
                 why, found, n, wait_for, count);
    WRONG_UNLESS(use[wait_for] == -7, "%s: it writes more than use [%d]", why, wait_for);
    for (int k = 0; k < count; k++) {
        int other = use[k] < 0 || use[k] >= n ? -1 : queue[use[k]].worker;
        WRONG_UNLESS(use[k] == expected[k] || use[k] != queue[expected[k]].worker ||
                         other == use[k],
                     "%s: use[%d] is %d, a worker: write its index in queue, %d", why, k, use[k],
                     expected[k]);
        WRONG_UNLESS(use[k] == expected[k], "%s: use[%d] is %d, expected %d", why, k, use[k],
                     expected[k]);
    }
}

/* As the contract says: sort those that count. */
static const Arrived *sorted;
static int by_arrival(const void *a, const void *b)
{
    const Arrived *x = &sorted[*(const int *)a], *y = &sorted[*(const int *)b];
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : x->worker - y->worker;
}

static void judge_random(uint64_t seed)
{
    Rng r = rng_at(seed, RNG_TEST, 9, 0);
    int n = (int)rng_below(&r, MOST + 1), count = 0, order[MOST], version = 3;
    int wait_for = 1 + (int)rng_below(&r, 5);
    Arrived queue[MOST + 1];
    for (int i = 0; i < n; i++) {
        queue[i] = (Arrived){(i * 5 + (int)seed) % MOST, version - (int)rng_below(&r, 3),
                             (double)rng_below(&r, 6)};
        if (wait_for == 1 || queue[i].version == version)
            order[count++] = i;
    }
    sorted = queue;
    qsort(order, count, sizeof *order, by_arrival);
    expect("a random queue", queue, n, version, wait_for, order, count < wait_for ? 0 : wait_for);
}

static void judge(void *unused)
{
    static const Arrived three[] = {{4, 7, 0.3}, {2, 7, 0.1}, {5, 7, 0.2}};
    static const Arrived old[] = {{4, 7, 0.3}, {2, 5, 0.1}, {5, 7, 0.2}};
    static const Arrived equal[] = {{4, 7, 0.1}, {2, 7, 0.1}};
    expect("an empty queue", three, 0, 7, 1, NULL, 0);
    expect("asynchronous: the first to arrive, not the first in the queue, nor the last", three, 3,
           7, 1, (int[]){1}, 1);
    expect("asynchronous: a gradient of old weights counts, too", old, 3, 7, 1, (int[]){1}, 1);
    expect("synchronous: in the order of arrival", three, 3, 7, 3, (int[]){1, 2, 0}, 3);
    expect("synchronous: a gradient is missing, so wait", three, 3, 7, 4, NULL, 0);
    expect("a backup worker: the two that arrived first, and no more", three, 3, 7, 2,
           (int[]){1, 2}, 2);
    expect("a gradient of old weights came too late, and does not count", old, 3, 7, 2,
           (int[]){2, 0}, 2);
    expect("without the late one they are too few, so wait", old, 3, 7, 3, NULL, 0);
    expect("two at the same time: the lower worker first", equal, 2, 7, 1, (int[]){1}, 1);
    for (uint64_t seed = 1; seed <= 400; seed++)
        judge_random(seed);
}

int main(int argc, char **argv)
{
    return exercise_check(argc, argv, "serve_next", 6,
                          "the gradients to use, the first to arrive first, or 0: wait", judge);
}
