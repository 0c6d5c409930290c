/* test_share.c: every item is done once, by whoever is free, and found on rank 0; a stop ends all ranks alike. */
#include <math.h>
#include <unistd.h>
#include "check.h"
#include "harness.h"
#include "task_farm.h"

enum { ITEMS = 40 };

typedef struct Work {
    Comm *c;
    int mine, found[ITEMS], stop_after, asked;
} Work;

static void square(void *context, int item, double *value)
{
    Work *w = context;
    w->mine++;
    if (w->c->rank == 1)
        usleep(20000); /* a slow machine gets fewer */
    value[0] = (double)item * item;
    value[1] = item == 7 ? NAN : -item;
}

static void found(void *context, int item, const double *value)
{
    Work *w = context;
    assert_in_range(item, 0, ITEMS - 1);
    w->found[item]++;
    assert_true(value[0] == (double)item * item && (item == 7 ? isnan(value[1]) : value[1] == -item));
}

static bool goes_on(void *context)
{
    Work *w = context;
    return w->asked++ < w->stop_after;
}

static void shares(int stop_after, bool complete)
{
    Comm *c = comm_open("auto");
    Backend *be = backend_open("cpu", c->local_rank, c->local_size, 1);
    Work w = {.c = c, .stop_after = stop_after};
    Share share = {ITEMS, 2, &w, square, found, stop_after < 1000 ? goes_on : NULL};
    assert_true(share_work(c, be, &share) == complete);
    double done = w.mine;
    comm_all_reduce_host(c, &done, 1, COMM_SUM);
    int times = 0;
    for (int i = 0; i < ITEMS; i++)
        times += w.found[i];
    for (int i = 0; i < ITEMS; i++)
        assert_true(c->rank ? w.found[i] == 0 : w.found[i] == (i < times)); /* the first so many, each once */
    if (c->rank == 0) {
        assert_true(times == (int)done);
        assert_true(complete ? times == ITEMS : times < ITEMS);
    }
    share.items = 0; /* nothing to do */
    assert_true(share_work(c, be, &share) == true);
    backend_close(be);
    comm_close(c);
}

static void all(void **state) { (void)state, shares(1000, true); }
static void stopped(void **state) { (void)state, shares(2, false); }
static void stopped_at_once(void **state) { (void)state, shares(0, false); }

static const Case cases[] = {{"alone", .run = all},
                             {"ranks", .run = all, .ranks = 3},
                             {"stopped", .run = stopped, .ranks = 3},
                             {"stopped_alone", .run = stopped},
                             {"stopped_at_once", .run = stopped_at_once, .ranks = 2}};
int main(int argc, char **argv) { return harness_main(argc, argv, cases, sizeof cases / sizeof *cases); }
