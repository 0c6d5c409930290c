/* test_link.c: the link of link.h on one process: its text, its model, its choice, its clocks. */
#include "check.h"
#include "comm.h"
#include "harness.h"
#include "link.h"
#include "link_ranks.h"
#include "timer.h"
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- text ---- */

TEST(right_texts)
{
    static const struct {
        const char *text;
        double bandwidth, latency;
        const char *shown;
    } good[] = {{"1Gbit/s,50us", 1.25e8, 50e-6, "1 Gbit/s, 50 µs"},
                {"100Mbit/s", 1.25e7, 0, "100 Mbit/s"},
                {"12.5GB/s,2us", 1.25e10, 2e-6, "100 Gbit/s, 2 µs"},
                {"100MB/s,1.5ms", 1e8, 1.5e-3, "800 Mbit/s, 1.5 ms"},
                {"56kbit/s,0.2s", 7e3, 0.2, "56 kbit/s, 200 ms"},
                {"1e9bit/s,500ns", 1.25e8, 500e-9, "1 Gbit/s, 500 ns"},
                {"1TB/s,0s", 1e12, 0, "8 Tbit/s"},
                {"125000B/s,10s", 125000, 10, "1 Mbit/s, 10 s"},
                {"400Gbit/s,1µs", 5e10, 1e-6, "400 Gbit/s, 1 µs"},
                {"400Gbit/s,1μs", 5e10, 1e-6, "400 Gbit/s, 1 µs"},
                {"none", INFINITY, 0, "none"}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        Link link = {7, 7};
        char text[64];
        char *wrong = link_parse(&link, good[i].text);
        if (wrong)
            fail_msg("%s: %s", good[i].text, wrong);
        if (isfinite(good[i].bandwidth))
            expect_close(link.bandwidth, good[i].bandwidth, 0, 1e-12, good[i].text);
        else
            assert_true(isinf(link.bandwidth) && link.bandwidth > 0);
        expect_close(link.latency, good[i].latency, 1e-20, 1e-12, good[i].text);
        link_text(text, sizeof text, link);
        assert_string_equal(text, good[i].shown);
    }
}

TEST(wrong_texts)
{
    static const struct {
        const char *says, *texts[10];
    } bad[] = {{"BANDWIDTH", {"", "x", ",", "None", "50us,1Gbit/s", "none,50us", "1Gbit/s\n"}},
               {"Gbit/s", {"1", "1Gbit", "1gbit/s"}},
               {"number",
                {"Gbit/s", "1 Gbit/s", "0x10Gbit/s", "nanGbit/s", "infGbit/s", "-1Gbit/s",
                 "--1Gbit/s", "1e999Gbit/s",
                 "11111111111111111111111111111111111111111111111111111111Gbit/s"}},
               {"1kbit/s to 100Tbit/s", {"0Gbit/s", "1bit/s", "101Tbit/s", "1e12TB/s"}},
               {"latency",
                {"1Gbit/s,", "1Gbit/s,50", "1Gbit/s,us", "1Gbit/s,-1us", "1Gbit/s,nanus",
                 "1Gbit/s,50us,", "1Gbit/s,50us,1", "1Gbit/s, 50us", "1Gbit/s,50us\x1b[31m"}},
               {"at most 10s", {"1Gbit/s,11s", "1Gbit/s,1e12s"}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (const char *const *text = bad[i].texts; *text; text++) {
            Link link = {7, 7};
            char *wrong = link_parse(&link, *text);
            if (!wrong || !strstr(wrong, bad[i].says) || link.bandwidth != 7 || link.latency != 7)
                fail_msg("'%s': %s, expected '%s'", *text, wrong ? wrong : "right", bad[i].says);
            free(wrong);
        }
    char *longest = alloc(100000, 1);
    memset(longest, '1', 99999);
    Link link;
    char *wrong = link_parse(&link, longest);
    assert_non_null(wrong);
    free(wrong);
    free(longest);
}

/* ---- the model ---- */

TEST(model)
{
    Link link = {1e6, 1e-3}; /* 1 µs per byte */
    expect_close(link_seconds(LINK_BARRIER, 5, 0, link), 3e-3, 0, 1e-12, "barrier of 5");
    expect_close(link_seconds(LINK_BROADCAST, 2, 1000, link), 2e-3, 0, 1e-12, "broadcast");
    expect_close(link_seconds(LINK_ALL_REDUCE, 4, 1000, link), 4e-3, 0, 1e-12, "short");
    expect_close(link_seconds(LINK_ALL_REDUCE, 4, 1e6, link), 4e-3 + 1.5, 0, 1e-12, "long");
    expect_close(link_seconds(LINK_REDUCE_SCATTER, 4, 1e6, link), 2e-3 + 0.75, 0, 1e-12, "part");
    expect_close(link_seconds(LINK_ALL_TO_ALL, 4, 1e6, link), 3e-3 + 0.75, 0, 1e-12, "all to all");
    for (int what = LINK_BARRIER; what <= LINK_ALL_TO_ALL; what++) {
        assert_true(link_seconds(what, 1, 1e9, link) == 0);
        assert_true(link_seconds(what, 8, 1e9, (Link){INFINITY, 0}) == 0);
    }
}

/* ---- the choice ---- */

static void choose(void *link) { link_choose(link, "real"); }
static void choose_clock(void *clock) { link_choose(NULL, clock); }
static void choose_nothing(void *unused) { link_choose(NULL, NULL); }
static void open_alone(void *unused) { comm_open("self"); }

TEST(choices)
{
    unsetenv("LABS_LINK");
    unsetenv("LABS_CLOCK");
    expect_death(EXIT_USAGE, choose, "1Gbit", "--link 1Gbit: ", "1Gbit/s,50us", NULL);
    expect_death(EXIT_USAGE, choose, "1Gbit/s,\x1b[2J", "\\x1b", "is not a latency", NULL);
    expect_death(EXIT_USAGE, choose_clock, "fast", "--clock fast: ", "real or virtual", NULL);
    link_choose("1Gbit/s,50us", "virtual");
    assert_string_equal(getenv("LABS_LINK"), "1Gbit/s,50us");
    assert_string_equal(getenv("LABS_CLOCK"), "virtual");
    link_choose(NULL, NULL); /* no options: what the environment says stays */
    assert_string_equal(getenv("LABS_LINK"), "1Gbit/s,50us");
    assert_string_equal(getenv("LABS_CLOCK"), "virtual");
    link_choose("none", NULL); /* it was asked for */
    assert_string_equal(getenv("LABS_LINK"), "none");
    assert_string_equal(getenv("LABS_CLOCK"), "virtual");
    link_choose(NULL, "real");
    assert_string_equal(getenv("LABS_CLOCK"), "real");
    setenv("LABS_LINK", "0Gbit/s", true);
    expect_death(EXIT_USAGE, choose_nothing, NULL, "LABS_LINK=0Gbit/s: ", "1kbit/s", NULL);
    setenv("LABS_LINK", "0Gbit/s", true);
    expect_death(EXIT_USAGE, open_alone, NULL, "LABS_LINK=0Gbit/s: ", NULL);
    setenv("LABS_LINK", "", true);
    setenv("LABS_CLOCK", "slow", true);
    expect_death(EXIT_USAGE, choose_nothing, NULL, "LABS_CLOCK=slow: ", NULL);
}

/* ---- the virtual clock ---- */

static void *another_thread(void *seen)
{
    double *time = seen;
    time[0] = timer_now();
    burn(0.05);
    time[1] = timer_now();
    return NULL;
}

/* Computing counts, sleeping and other threads do not; every thread sees the same time. */
TEST(virtual_alone)
{
    pthread_t thread;
    double seen[2], real = timer_real();
    setenv("LABS_CLOCK", "virtual", true);
    assert_false(timer_virtual());
    Comm *c = comm_open("self");
    assert_true(timer_virtual() && link_virtual());
    double began = timer_now();
    assert_true(began - real < 60 && began >= real); /* it starts at the real one */
    usleep(200000);
    double slept = timer_now();
    assert_true(slept - began < 0.1);
    burn(0.1);
    double burnt = timer_now();
    expect_close(burnt - slept, 0.1, 0.002, 0.01, "0.1 s of processor time");
    pthread_create(&thread, NULL, another_thread, seen);
    pthread_join(thread, NULL);
    double joined = timer_now();
    assert_true(seen[0] >= burnt && seen[1] >= seen[0] && joined >= seen[1]);
    assert_true(joined - burnt < 0.02); /* not the other thread's 0.05 s */
    assert_true(timer_real() - real > 0.3);
    assert_true(link_now() - joined < 0.01);
    comm_close(c);
}

static void *asks_for_ever(void *stop)
{
    double last = timer_now();
    while (!__atomic_load_n((bool *)stop, __ATOMIC_SEQ_CST)) {
        double now = timer_now();
        ASSERT(now >= last && now - last < 10);
        last = now;
    }
    return NULL;
}

/* It never goes back, for any thread, while its owner works. */
TEST(virtual_threads, .ranks = 1)
{
    pthread_t thread;
    bool stop = false;
    setenv("LABS_CLOCK", "virtual", true);
    Comm *c = comm_open("mpi");
    pthread_create(&thread, NULL, asks_for_ever, &stop);
    double last = timer_now();
    for (int i = 0; i < 3000; i++) {
        comm_barrier(c);
        assert_true(timer_now() >= last);
        last = timer_now();
    }
    __atomic_store_n(&stop, true, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    comm_close(c);
    assert_true(timer_now() >= last);
}

static void take_two_threads(void *unused) { backend_open("cpu", 0, 1, 2); }
static void take_a_gpu(void *unused) { backend_open("cuda", 0, 1, 0); }

TEST(one_thread)
{
    setenv("LABS_CLOCK", "virtual", true);
    Comm *c = comm_open("self");
    Backend *be = backend_open("auto", 0, 1, 0);
    assert_string_equal(be->op->name, "cpu");
    assert_int_equal(be->threads, 1);
    backend_close(be);
    expect_death(EXIT_USAGE, take_two_threads, NULL, "--threads=2", "--clock real", NULL);
    expect_death(EXIT_USAGE, take_a_gpu, NULL, "--device=cuda", "--clock real", NULL);
    comm_close(c);
}
