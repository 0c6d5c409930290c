/* test_trace.c: the timeline: JSON in the Trace Event Format; spans nest, ranks' clocks agree, a
 * full table counts dropped spans. */
#include "comm.h"
#include "harness.h"
#include "trace.h"
#include <jansson.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void wait_ms(double ms)
{
    struct timespec t = {0, (long)(ms * 1e6)};
    nanosleep(&t, NULL);
}

static void forget(void *json) { json_decref(json); }

/* The events of a timeline's file; *root too, unless it is NULL. */
static json_t *load_events(const char *path, json_t **root)
{
    json_error_t error;
    json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!all)
        fail_msg("%s: %s at %d", path, error.text, error.position);
    at_end(all, forget, all);
    if (root)
        *root = all;
    json_t *events = json_object_get(all, "traceEvents");
    assert_true(json_is_array(events));
    return events;
}

/* Those that one process writes of t, which is freed. */
static json_t *written(Trace *t, json_t **root)
{
    Comm *c = comm_open("self");
    const char *path = path_in(scratch_dir(), "trace.json");
    trace_write(t, c, path);
    trace_free(t);
    comm_close(c);
    return load_events(path, root);
}

static double number(json_t *event, const char *key)
{
    json_t *value = json_object_get(event, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static bool is(json_t *event, const char *key, const char *text)
{
    const char *value = json_string_value(json_object_get(event, key));
    return value && !strcmp(value, text);
}

/* The one event of that kind ("X", "M"), name and process; the `skip`-th of them. */
static json_t *find(json_t *events, const char *kind, const char *name, int rank, int skip)
{
    size_t i;
    json_t *event;
    json_array_foreach (events, i, event)
        if (is(event, "ph", kind) && is(event, "name", name) && (int)number(event, "pid") == rank &&
            skip-- == 0)
            return event;
    fail_msg("no event %s '%s' of rank %d", kind, name, rank);
    return NULL;
}

/* Any two spans of one track of one rank follow each other, or one is inside the other. Times in
 * whole nanoseconds. */
static void expect_nesting(json_t *events)
{
    size_t n = json_array_size(events);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            json_t *a = json_array_get(events, i), *b = json_array_get(events, j);
            if (!is(a, "ph", "X") || !is(b, "ph", "X") || number(a, "pid") != number(b, "pid") ||
                number(a, "tid") != number(b, "tid"))
                continue;
            int64_t a0 = (int64_t)(number(a, "ts") * 1e3 + 0.5),
                    a1 = a0 + (int64_t)(number(a, "dur") * 1e3 + 0.5);
            int64_t b0 = (int64_t)(number(b, "ts") * 1e3 + 0.5),
                    b1 = b0 + (int64_t)(number(b, "dur") * 1e3 + 0.5);
            assert_true(a0 <= b0); /* in the order of their begins */
            assert_true(b0 >= a1 || b1 <= a1);
        }
}

TEST(nested)
{
    Trace *t = trace_new(100);
    trace_track(t, 0, "compute \"quoted\"");
    trace_track(t, 1, "comm");
    for (int step = 0; step < 3; step++) {
        double outer = trace_begin(t), inner = outer; /* two that begin together */
        wait_ms(2);
        trace_end(t, "forward", 0, inner);
        inner = trace_begin(t);
        double other = trace_begin(t);
        wait_ms(3);
        trace_end(t, "backward", 0, inner);
        trace_end(t, "step", 0, outer);
        trace_end(t, "all-reduce", 1, other);
    }
    json_t *root, *events = written(t, &root);
    assert_int_equal(json_array_size(events), 12 + 3);
    assert_string_equal(json_string_value(json_object_get(root, "displayTimeUnit")), "ms");
    expect_nesting(events);
    for (int step = 0; step < 3; step++) {
        json_t *outer = find(events, "X", "step", 0, step),
               *inner = find(events, "X", "forward", 0, step);
        assert_true(number(inner, "ts") == number(outer, "ts")); /* microseconds */
        assert_true(number(inner, "dur") >= 2000 && number(inner, "dur") < number(outer, "dur"));
        assert_true(number(outer, "dur") >= 5000 && number(outer, "dur") < 500000);
        assert_int_equal(number(find(events, "X", "all-reduce", 0, step), "tid"), 1);
    }
    assert_true(number(find(events, "X", "step", 0, 0), "ts") == 0);
    json_t *process = find(events, "M", "process_name", 0, 0),
           *track = find(events, "M", "thread_name", 0, 0);
    assert_true(is(json_object_get(process, "args"), "name", "rank 0"));
    assert_true(is(json_object_get(track, "args"), "name", "compute \"quoted\""));
}

TEST(full)
{
    Trace *t = trace_new(5);
    for (int i = 0; i < 12; i++)
        trace_end(t, i < 5 ? "kept" : "dropped", 0, trace_begin(t));
    json_t *events = written(t, NULL);
    assert_int_equal(json_array_size(events), 5 + 1);
    find(events, "X", "kept", 0, 4);
    json_t *process = find(events, "M", "process_name", 0, 0);
    assert_true(is(json_object_get(process, "args"), "name", "rank 0 (7 later spans dropped)"));
}

TEST(none)
{
    Comm *c = comm_open("self");
    const char *path = path_in(scratch_dir(), "trace.json");
    trace_track(NULL, 0, "compute");
    assert_true(trace_begin(NULL) == 0);
    trace_end(NULL, "forward", 0, 0);
    trace_write(NULL, c, path);
    assert_int_equal(access(path, F_OK), -1);
    trace_free(NULL);
    comm_close(c);
    /* nothing recorded: still a file that opens */
    assert_int_equal(json_array_size(written(trace_new(1), NULL)), 1);
}

enum { THREADS = 4, EACH = 5000 };
typedef struct Job {
    Trace *t;
    int track;
} Job;

static void *record(void *argument)
{
    Job *job = argument;
    for (int i = 0; i < EACH; i++)
        trace_end(job->t, "work", job->track, trace_begin(job->t));
    return NULL;
}

/* A track per thread, all at once: no span is lost. */
TEST(threads)
{
    Trace *t = trace_new(THREADS * EACH);
    pthread_t thread[THREADS];
    Job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = (Job){t, i};
        assert_int_equal(pthread_create(&thread[i], NULL, record, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    json_t *events = written(t, NULL), *event;
    int count[THREADS] = {0};
    size_t i;
    json_array_foreach (events, i, event)
        if (is(event, "ph", "X"))
            count[(int)number(event, "tid")]++;
    for (int track = 0; track < THREADS; track++)
        assert_int_equal(count[track], EACH);
}

/* Rank r records r + 1 spans; then all leave a barrier and record "together": at the same time on
 * the timeline. */
TEST(ranks, .ranks = 3)
{
    Comm *c = comm_open("auto");
    assert_int_equal(c->size, 3);
    Trace *t = trace_new(10);
    trace_track(t, 0, "compute");
    comm_barrier(c);
    wait_ms(100 * c->rank); /* so that time 0 is rank 0's first span */
    for (int i = 0; i <= c->rank; i++)
        trace_end(t, "own", 0, trace_begin(t));
    comm_barrier(c);
    double together = trace_begin(t);
    wait_ms(20);
    trace_end(t, "together", 0, together);
    wait_ms(300 * c->rank); /* so that they do not come to the end together */
    const char *path = c->rank == 0 ? path_in(scratch_dir(), "trace.json") : "";
    trace_write(t, c, path);
    if (c->rank == 0) {
        json_t *events = load_events(path, NULL);
        assert_int_equal(json_array_size(events), 3 * 2 + 1 + 2 + 3 + 3);
        expect_nesting(events);
        double first = number(find(events, "X", "together", 0, 0), "ts");
        for (int r = 0; r < 3; r++) {
            char name[20];
            snprintf(name, sizeof name, "rank %d", r);
            assert_true(
                is(json_object_get(find(events, "M", "process_name", r, 0), "args"), "name", name));
            find(events, "X", "own", r, r);
            double began = number(find(events, "X", "own", r, 0), "ts");
            assert_true(r ? began > 50000 * r : began == 0); /* us */
            double ts = number(find(events, "X", "together", r, 0), "ts");
            printf("    rank %d: together at %.0f us\n", r, ts);
            expect_close(ts, first, 150000, 0, "clocks"); /* us: a busy machine may keep a rank
                                                           * waiting */
        }
    }
    trace_free(t);
    comm_close(c);
}

static void write_nowhere(void *trace)
{
    trace_write(trace, comm_open("self"), "/nowhere/trace.json");
}

static void bad_track(void *trace) { trace_track(trace, TRACE_TRACKS, "x"); }

TEST(refusals)
{
    Trace *t = trace_new(1);
    expect_death(2, write_nowhere, t, "timeline not written: /nowhere/trace.json: No such file",
                 NULL);
    expect_death(1, bad_track, t, "trace.c", NULL);
    trace_free(t);
}
