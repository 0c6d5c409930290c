/* test_check.c: die(), the requested stop, memory. Several ranks:
 * tests/e2e/rank_death.sh, launch.sh. */
#include "check.h"
#include "child.h"
#include "exercise.h"
#include "harness.h"
#include "timer.h"
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- what is unfinished ---- */

static inline void broken(void) { UNFINISHED("a/10b_broken.c", 0, "10b: it does not compile"); }

static inline void twice(void *x)
{
    if (x)
        TODO("the first");
    TODO("the second");
}

TEST(unfinished_is_listed)
{
    static const char first[] = "TODO in tests/unit/test_check.c, line 22: the first";
    expect_death(EXIT_TODO, twice, NULL, "error: TODO in ", ": the second\n", NULL);
    broken(); /* a record alone ends nothing */
    assert_string_equal(exercise_missing("test_check"), first);
    assert_string_equal(exercise_missing("1a_other test_check"), first);
    assert_string_equal(exercise_missing("10b_broken test_check"), "10b: it does not compile");
    assert_string_equal(exercise_missing(NULL), "10b: it does not compile");
    assert_null(exercise_missing("test_chec 10b_broken.c 0b_broken"));
    assert_null(exercise_missing(""));
}

/* ---- die ---- */

static void say_and_die(void *status) { die(*(int *)status, "data/%s: %d bytes", "train", 17); }

TEST(one_line_and_status)
{
    for (int status = 1; status <= 77; status += 76)
        expect_death(status, say_and_die, &status, "error: data/train: 17 bytes\n", NULL);
}

static void fail_require(void *x) { REQUIRE(x != NULL, "--batch %d: expected 1 or more", -3); }
static void fail_assert(void *x) { ASSERT(x != NULL); }
static void meet_todo(void *x) { TODO("one ring step"); }

TEST(require_assert_todo)
{
    int x;
    expect_death(EXIT_USAGE, fail_require, NULL, "error: --batch -3: expected 1 or more\n", NULL);
    expect_death(EXIT_WRONG, fail_assert, NULL, "test_check.c:", "broken: x != NULL", NULL);
    expect_death(EXIT_TODO, meet_todo, NULL, "TODO in ", "test_check.c, line ", "one ring step",
                 NULL);
    fail_require(&x); /* a condition that holds does nothing */
    fail_assert(&x);
}

static void say_note(void *unused) { note("note: %s", "\x1b[2Jtwo\nlines \xff"); }

TEST(note_is_safe)
{
    ChildEnd end = child_run(&(Child){.work = say_note, .streams = CHILD_ERR});
    assert_true(end.came_back);
    assert_string_equal(keep(end.text), "note: \\x1b[2Jtwo\\nlines \\xff\n");
}

static void long_message(void *x)
{
    char path[9000];
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = 0;
    die(EXIT_USAGE, "%s", path);
}

TEST(long_message_is_cut) { expect_death(EXIT_USAGE, long_message, NULL, "error: ppppp", NULL); }

static void end_all_ranks(int status) { _exit(40 + status); }

static void die_as_rank(void *rank)
{
    die_register(*(int *)rank, 3, end_all_ranks);
    die(EXIT_USAGE, "the same everywhere");
}

static void *die_in_thread(void *status)
{
    say_and_die(status);
    return NULL;
}

/* MPI may be busy with the thread that opened it: another does not call it. */
static void die_beside(void *status)
{
    pthread_t other;
    die_register(0, 3, end_all_ranks);
    pthread_create(&other, NULL, die_in_thread, status);
    pthread_join(other, NULL);
}

TEST(other_thread_ends_alone)
{
    int status = EXIT_USAGE;
    expect_death(status, die_beside, &status, "rank 0: error: data/train: 17 bytes\n", NULL);
}

static double seconds_of_death(int status, int rank, const char *message)
{
    double began = timer_now();
    expect_death(status, die_as_rank, &rank, message, NULL);
    return timer_now() - began;
}

/* The shortest of several: a busy machine adds to some. */
static double shortest_death(int status, int rank, const char *message)
{
    double shortest = INFINITY;
    for (int i = 0; i < 50 && shortest >= 0.4; i++)
        shortest = fmin(shortest, seconds_of_death(status, rank, message));
    return shortest;
}

/* Rank 0 prints at once, the others wait half a second; each then ends all ranks in the
 * registered way. */
TEST(ranks_take_turns)
{
    assert_true(shortest_death(42, 0, "rank 0: error: the same everywhere\n") < 0.4);
    assert_true(seconds_of_death(42, 2, "rank 2: error: the same everywhere\n") >= 0.5);
}

/* Before comm_open, every rank finds a bad option. */
TEST(rank_from_environment)
{
    int status = EXIT_USAGE;
    setenv("OMPI_COMM_WORLD_RANK", "1", true);
    setenv("OMPI_COMM_WORLD_SIZE", "2", true);
    double began = timer_now();
    expect_death(status, say_and_die, &status, "rank 1: error: data/train", NULL);
    assert_true(timer_now() - began >= 1.9); /* mpirun takes a second to end it, should rank 0
                                              * have met the error too */
}

static void die_in_two_threads(void *status)
{
    pthread_t other;
    pthread_create(&other, NULL, die_in_thread, status);
    say_and_die(status);
}

TEST(threads_speak_once)
{
    int status = EXIT_USAGE;
    for (int i = 0; i < 20; i++)
        expect_death(status, die_in_two_threads, &status, "error: data/train: 17 bytes\n", NULL);
}

/* ---- the requested stop ---- */

static void raise_two(void *signals)
{
    const int *raised = signals;
    stop_on_signals();
    if (stop_requested())
        _exit(1);
    raise(raised[0]);
    if (!stop_requested())
        _exit(2);
    raise(raised[1]);
    _exit(stop_requested() ? 3 : 4);
}

static int status_after(int first, int second)
{
    return child_run(&(Child){.work = raise_two, .context = (int[]){first, second}}).status;
}

TEST(stops)
{
    assert_int_equal(status_after(SIGTERM, SIGTERM), 3); /* timeout(1) sends it twice */
    assert_int_equal(status_after(SIGUSR1, SIGTERM), 3);
    assert_int_equal(status_after(SIGTERM, SIGINT), 3);
    assert_int_equal(status_after(SIGINT, SIGTERM), 3);
    assert_int_equal(status_after(SIGINT, SIGINT), 128 + SIGINT);
}

/* ---- memory ---- */

TEST(memory_is_zero_and_aligned)
{
    for (size_t bytes = 0; bytes < 1000; bytes += 37) {
        unsigned char *p = alloc(bytes, 1), *q = alloc(1, bytes);
        assert_int_equal((uintptr_t)p % 64, 0);
        for (size_t i = 0; i < bytes; i++)
            assert_int_equal(p[i] | q[i], 0);
        memset(p, 0xa5, bytes); /* so that the next one gets dirty memory */
        memset(q, 0xa5, bytes);
        free(p);
        free(q);
    }
}

static void ask_too_much(void *x) { free(alloc(1ul << 40, 1ul << 30)); }

static void ask_more_than_there_is(void *x)
{
    struct rlimit limit = {256 << 20, 256 << 20};
    setrlimit(RLIMIT_AS, &limit);
    free(alloc(1024, 1 << 20));
}

TEST(product_overflows)
{
    expect_death(EXIT_USAGE, ask_too_much, NULL,
                 "error: out of memory: 1099511627776 x 1073741824 bytes", NULL);
}

TEST(memory_runs_out)
{
    if (SANITIZED)
        SKIP("a sanitizer needs more address space than the limit of this case");
    expect_death(EXIT_USAGE, ask_more_than_there_is, NULL,
                 "error: out of memory: no room for 1073.7 MB", NULL);
}

TEST(formats)
{
    char *text = format_new("%s/%d%%", "a", 7), *empty = format_new("%s", "");
    assert_string_equal(text, "a/7%");
    assert_string_equal(empty, "");
    free(text);
    free(empty);
}
