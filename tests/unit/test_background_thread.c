/* test_background_thread.c: work on a background thread: it pauses, steps, stops, and ends by
 * itself. */
#include "background_thread.h"
#include "harness.h"
#include <unistd.h>

typedef struct Count {
    int slices, end;
} Count;

static void count(void *state, BackgroundThread *b)
{
    Count *c = state;
    while (background_goes_on(b)) {
        background_lock(b);
        bool over = ++c->slices == c->end;
        background_unlock(b);
        if (over)
            return;
        usleep(1000);
    }
}

static int seen(BackgroundThread *b, Count *c)
{
    background_lock(b);
    int slices = c->slices;
    background_unlock(b);
    return slices;
}

TEST(ends_by_itself)
{
    Count c = {.end = 20};
    BackgroundThread *b = background_start(count, &c);
    background_wait(b);
    assert_int_equal(c.slices, 20);
    background_stop(b);
}

TEST(stops_when_asked_even_while_paused)
{
    Count c = {0};
    BackgroundThread *b = background_start(count, &c);
    background_pause(b, true);
    background_stop(b);
    background_stop(NULL);
}

TEST(waits_while_paused_and_steps_singly)
{
    Count c = {0};
    BackgroundThread *b = background_start(count, &c);
    background_pause(b, true);
    int before = seen(b, &c);
    usleep(100000);
    assert_in_range(seen(b, &c), before, before + 1); /* one may have been in progress */
    for (int i = 1; i <= 3; i++) {
        background_step(b);
        while (seen(b, &c) < before + i)
            usleep(1000);
        usleep(20000);
        assert_in_range(seen(b, &c), before + i, before + i + 1);
    }
    background_pause(b, false);
    while (seen(b, &c) < before + 10)
        usleep(1000);
    background_stop(b);
}
