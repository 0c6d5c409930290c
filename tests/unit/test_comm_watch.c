/* test_comm_watch.c: the watchdog ends a run whose library fails or hangs, and no other. */
#include "check.h"
#include "comm/comm_watch.h"
#include "harness.h"
#include "timer.h"
#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* A library under the test's control. */
typedef struct Library {
    atomic_bool busy, begun, in_idle;
    const char *_Atomic failure;
    atomic_int asked;   /* how often idle() was */
    atomic_int idle_ms; /* how long that takes */
} Library;

static void begin(void *p) { ((Library *)p)->begun = true; }
static const char *failure(void *p) { return ((Library *)p)->failure; }

static void sleep_ms(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

static bool idle(void *p)
{
    Library *l = p;
    l->in_idle = true;
    l->asked++;
    sleep_ms(l->idle_ms);
    l->in_idle = false;
    return !l->busy;
}

static const WatchCalls calls = {begin, idle, failure};

/* A child's: ten seconds, then a silent end. */
static void wait_for_the_end(void)
{
    sleep_ms(10000);
    _exit(99);
}

static void never_returns(void *p)
{
    watch_call(watch_new(&calls, p, "NCCL", 0), "start", 4, "elements", 0.3);
    wait_for_the_end();
}

static void never_done(void *p)
{
    ((Library *)p)->busy = true;
    Watch *w = watch_new(&calls, p, "NCCL", 0);
    watch_call(w, "all-reduce", 1234, "elements", 0.3);
    watch_queued(w);
    wait_for_the_end();
}

/* The next call must wait for the answer, which never comes. */
static void never_answers(void *p)
{
    ((Library *)p)->idle_ms = 60000;
    Watch *w = watch_new(&calls, p, "NCCL", 0);
    watch_call(w, "all-reduce", 1234, "elements", 60);
    watch_queued(w);
    while (!((Library *)p)->in_idle)
        sleep_ms(1);
    watch_call(w, "broadcast", 7, "elements", 0.3);
    _exit(98);
}

static void fails(void *p)
{
    Watch *w = watch_new(&calls, p, "NCCL", 0);
    watch_call(w, "broadcast", 7, "elements", 60);
    watch_queued(w);
    sleep_ms(300);
    ((Library *)p)->failure = "network error (peer gone)";
    wait_for_the_end();
}

static void fails_first(void *p)
{
    ((Library *)p)->failure = "network error";
    watch_new(&calls, p, "NCCL", 0);
    wait_for_the_end();
}

TEST(deaths)
{
    Library l = {.begun = false};
    expect_death(EXIT_USAGE, never_returns, &l, "NCCL: start of 4 elements: not done after 0 s",
                 "LABS_COMM_SECONDS", "--comm mpi", NULL);
    expect_death(EXIT_USAGE, never_done, &l, "NCCL: all-reduce of 1234 elements: not done", NULL);
    expect_death(EXIT_USAGE, fails, &l,
                 "NCCL: network error (peer gone); the last call was broadcast of 7 elements",
                 NULL);
    expect_death(EXIT_USAGE, fails_first, &l, "network error; the last call was none", NULL);
    expect_death(EXIT_USAGE, never_answers, &l, "NCCL: broadcast of 7 elements: not done", NULL);
    l.idle_ms = 60000;
    expect_death(EXIT_USAGE, never_done, &l, "NCCL: all-reduce of 1234 elements: not done", NULL);
}

/* Continuous work, each call well within its time; and then silence. */
TEST(lives)
{
    Library l = {.busy = true};
    Watch *w = watch_new(&calls, &l, "NCCL", 0);
    for (int i = 0; i < 40; i++) {
        watch_call(w, "all-reduce", 10, "elements", 3);
        watch_queued(w);
        sleep_ms(100);
    }
    assert_true(l.begun);
    assert_true(l.asked > 5);
    l.busy = false;
    for (int asked = l.asked, i = 0; l.asked == asked && i < 200; i++) /* it sees that */
        sleep_ms(10);
    sleep_ms(100);
    l.busy = true;
    sleep_ms(4000); /* and ignores work outside its calls */
    watch_free(w);
    watch_free(NULL);
}

/* After watch_call no earlier check is still running. */
TEST(not_asked_in_a_call)
{
    Library l = {.busy = true, .idle_ms = 50};
    Watch *w = watch_new(&calls, &l, "NCCL", 0);
    for (int i = 0; i < 10; i++) {
        watch_call(w, "all-reduce", 10, "elements", 10);
        assert_false(l.in_idle);
        watch_queued(w);
        while (!l.in_idle)
            sleep_ms(1);
    }
    watch_free(w);
}

TEST(ends_at_once)
{
    Library l = {.busy = true};
    double shortest = 1;
    for (int i = 0; i < 50; i++) {
        double began = timer_now();
        watch_free(watch_new(&calls, &l, "NCCL", 0));
        shortest = fmin(shortest, timer_now() - began);
    }
    assert_true(shortest < 0.07); /* not after a look's pause each: 0.1 s */
}
