/* test_task_farm.c: every item is done once, by a rank that is free, and found on rank 0; a stop
 * reaches ranks in the middle of an item, and an aborted item is not found. */
#include "check.h"
#include "harness.h"
#include "task_farm.h"
#include "timer.h"
#include <math.h>
#include <unistd.h>

enum { ITEMS = 40 };

typedef struct Work {
    Comm *c;
    double done[ITEMS], cut; /* this rank's: how often each item; how many were cut short */
    int found[ITEMS], stop_after, asked;
} Work;

static bool square(void *context, int item, double *value, TaskFarmRun *farm)
{
    Work *w = context;
    w->done[item]++;
    if (w->c->rank == 1)
        usleep(20000); /* a straggler gets fewer */
    value[0] = (double)item * item;
    value[1] = item == 7 ? NAN : -item;
    return true;
}

static void found(void *context, int item, const double *value)
{
    Work *w = context;
    assert_in_range(item, 0, ITEMS - 1);
    w->found[item]++;
    assert_true(value[0] == (double)item * item &&
                (item == 7 ? isnan(value[1]) : value[1] == -item));
}

static bool goes_on(void *context)
{
    Work *w = context;
    return w->asked++ < w->stop_after;
}

/* Deal ITEMS items; found is what was done, no more, no less. Returns how many that were. */
static int deal_items(Work *w, TaskFarm *farm, bool complete)
{
    Backend *be = backend_open("cpu", w->c->local_rank, w->c->local_size, 1);
    int times = 0;
    assert_true(task_farm_run(w->c, be, farm) == complete);
    comm_all_reduce_host(w->c, w->done, ITEMS, COMM_SUM);
    comm_all_reduce_host(w->c, &w->cut, 1, COMM_SUM);
    for (int i = 0; i < ITEMS; i++) {
        times += (int)w->done[i];
        assert_true(w->done[i] <= 1 && w->found[i] == (w->c->rank ? 0 : (int)w->done[i]));
    }
    assert_true(complete ? times == ITEMS : times < ITEMS);
    farm->items = 0; /* nothing to do */
    farm->goes_on = NULL;
    assert_true(task_farm_run(w->c, be, farm) == true);
    backend_close(be);
    return times;
}

static void deals(int ahead, int stop_after, bool complete)
{
    Work w = {.c = comm_open("auto"), .stop_after = stop_after};
    TaskFarm farm = {.items = ITEMS,
                     .values = 2,
                     .ahead = ahead,
                     .context = &w,
                     .work = square,
                     .found = found,
                     .goes_on = stop_after < 1000 ? goes_on : NULL};
    int times = deal_items(&w, &farm, complete);
    assert_true(stop_after > 0 || times == 0);
    comm_close(w.c);
}

static void all(void) { deals(1, 1000, true); }
TEST(alone) { all(); }
TEST(ranks, .ranks = 3) { all(); }
TEST(one_at_a_time, .ranks = 4) { deals(0, 1000, true); }
static void stopped(void) { deals(1, 2, false); }
TEST(stopped, .ranks = 3) { stopped(); }
TEST(stopped_alone) { stopped(); }
TEST(stopped_at_once, .ranks = 2) { deals(0, 0, false); }

/* Lasts until the stop. Returns false: aborted. */
static bool wait_for_stop(Work *w, TaskFarmRun *farm)
{
    for (double began = timer_now(); !task_farm_cancelled(farm); usleep(1000))
        assert_true(timer_now() - began < 30);
    assert_true(task_farm_cancelled(farm)); /* from then on */
    w->cut++;
    return false;
}

/* Rank 0's first item ends when all ranks have begun one; no other item ever would. */
static bool until_cancelled(void *context, int item, double *value, TaskFarmRun *farm)
{
    Work *w = context;
    if (item < w->c->size)
        comm_barrier(w->c);
    return item > 0 ? wait_for_stop(w, farm) : square(context, item, value, farm);
}

static void cancelled(void)
{
    Work w = {.c = comm_open("auto"), .stop_after = 10};
    TaskFarm farm = {.items = ITEMS,
                     .values = 2,
                     .ahead = 1,
                     .context = &w,
                     .work = until_cancelled,
                     .found = found,
                     .goes_on = goes_on};
    assert_int_equal(deal_items(&w, &farm, false), 1); /* item 0 alone */
    assert_true(w.cut == w.c->size);
    assert_true(w.asked == (w.c->rank ? 0 : 11)); /* once told, rank 0 asks no more */
    comm_close(w.c);
}
TEST(cancelled_alone) { cancelled(); }
TEST(cancelled_2, .ranks = 2) { cancelled(); }
TEST(cancelled_3, .ranks = 3) { cancelled(); }
TEST(cancelled_4, .ranks = 4) { cancelled(); }

/* Each rank does one item; then the last one gives up by itself, as after a signal: that ends
 * the work of all. */
static bool gives_up(void *context, int item, double *value, TaskFarmRun *farm)
{
    Work *w = context;
    if (item < w->c->size) {
        comm_barrier(w->c);
        return square(context, item, value, farm);
    }
    return w->c->rank == w->c->size - 1 ? false : wait_for_stop(w, farm);
}

static void one_rank_gives_up(void)
{
    Work w = {.c = comm_open("auto")};
    TaskFarm farm = {.items = ITEMS, .values = 2, .context = &w, .work = gives_up, .found = found};
    assert_int_equal(deal_items(&w, &farm, false), w.c->size);
    comm_close(w.c);
}
TEST(one_rank_gives_up, .ranks = 3) { one_rank_gives_up(); }
TEST(gives_up_alone) { one_rank_gives_up(); }

/* Rank 0 has one long item and serves the others in task_farm_cancelled. */
static bool long_on_rank_0(void *context, int item, double *value, TaskFarmRun *farm)
{
    Work *w = context;
    int known = 0;
    for (double began = timer_now(); item == 0 && known < ITEMS - 1; usleep(100)) {
        assert_true(!task_farm_cancelled(farm) && timer_now() - began < 30);
        known = 0;
        for (int i = 0; i < ITEMS; i++)
            known += w->found[i];
    }
    return square(context, item, value, farm);
}

TEST(rank_0_is_busy, .ranks = 2)
{
    Work w = {.c = comm_open("auto")};
    TaskFarm farm = {
        .items = ITEMS, .values = 2, .context = &w, .work = long_on_rank_0, .found = found};
    deal_items(&w, &farm, true);
    comm_close(w.c);
}
