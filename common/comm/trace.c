/* trace.c: see trace.h. Trace Event Format: one {"ph": "X"} object per span, times in microseconds;
 * a process is a rank, a thread is a track. */
#include "trace.h"
#include "check.h"
#include "file.h"
#include "timer.h"
#include <jansson.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Span {
    const char *name;
    double began, ended; /* seconds, timer.h */
    int track;
} Span;

struct Trace {
    Span *spans;
    int64_t room;
    _Atomic int64_t count;           /* spans recorded, dropped ones included: may exceed room */
    const char *track[TRACE_TRACKS]; /* names; NULL: none */
};

Trace *trace_new(int spans)
{
    Trace *t = alloc(1, sizeof *t);
    t->spans = alloc((unsigned long)spans, sizeof *t->spans);
    t->room = spans;
    return t;
}

void trace_free(Trace *t)
{
    if (t)
        free(t->spans);
    free(t);
}

double trace_begin(Trace *t) { return t ? timer_now() : 0; }

void trace_end(Trace *t, const char *name, int track, double began)
{
    if (!t)
        return;
    int64_t i = atomic_fetch_add_explicit(&t->count, 1, memory_order_relaxed);
    if (i < t->room)
        t->spans[i] = (Span){name, began, timer_now(), track};
}

void trace_track(Trace *t, int track, const char *name)
{
    ASSERT(track >= 0 && track < TRACE_TRACKS);
    if (t)
        t->track[track] = name;
}

/* By begin; of two that begin together the outer one first, as viewers require. */
static int by_time(const void *a, const void *b)
{
    const Span *x = a, *y = b;
    if (x->began != y->began)
        return x->began < y->began ? -1 : 1;
    return (x->ended < y->ended) - (x->ended > y->ended);
}

/* A quoted JSON string. */
static char *quoted(const char *text)
{
    json_t *value = json_string(text);
    ASSERT(value); /* UTF-8 */
    char *json = json_dumps(value, JSON_ENCODE_ANY);
    json_decref(value);
    return json;
}

/* A {"ph": "M"} event: the name of a process ("process_name") or of one of its tracks
 * ("thread_name"). */
static void put_name(FILE *out, const char *what, int rank, int track, const char *name)
{
    char *json = quoted(name);
    fprintf(out, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d", what, rank, track);
    fprintf(out, ",\"args\":{\"name\":%s}}", json);
    free(json);
}

/* This rank's events, commas between them. Times are whole nanoseconds since `zero`: rounded
 * like this, nested spans stay nested. */
static char *events_text(Trace *t, int rank, double zero, size_t *bytes)
{
    char *text;
    FILE *out = open_memstream(&text, bytes);
    ASSERT(out);
    int64_t recorded = atomic_load(&t->count), count = recorded < t->room ? recorded : t->room;
    char *process = count == recorded ? format_new("rank %d", rank)
                                      : format_new("rank %d (%" PRId64 " later spans dropped)",
                                                   rank, recorded - count);
    put_name(out, "process_name", rank, 0, process);
    free(process);
    for (int i = 0; i < TRACE_TRACKS; i++)
        if (t->track[i]) {
            fprintf(out, ",\n");
            put_name(out, "thread_name", rank, i, t->track[i]);
        }
    qsort(t->spans, (size_t)count, sizeof *t->spans, by_time);
    for (int64_t i = 0; i < count; i++) {
        const Span *s = &t->spans[i];
        int64_t began = llround((s->began - zero) * 1e9),
                lasted = llround((s->ended - zero) * 1e9) - began;
        char *name = quoted(s->name);
        fprintf(out, ",\n{\"ph\":\"X\",\"name\":%s,\"pid\":%d,\"tid\":%d", name, rank, s->track);
        fprintf(out, ",\"ts\":%" PRId64 ".%03d", began / 1000, (int)(began % 1000));
        fprintf(out, ",\"dur\":%" PRId64 ".%03d}", lasted / 1000, (int)(lasted % 1000));
        free(name);
    }
    fclose(out);
    return text;
}

/* This rank's clock at time 0 of the timeline, when the first span of all ranks began: all leave
 * the barrier together, and count back from there. */
static double common_zero(Trace *t, Comm *c)
{
    comm_barrier(c);
    double now = timer_now(), earliest = now;
    int64_t recorded = atomic_load(&t->count);
    for (int64_t i = 0; i < recorded && i < t->room; i++)
        earliest = fmin(earliest, t->spans[i].began);
    double past = now - earliest;
    comm_all_reduce_host(c, &past, 1, COMM_MAX);
    return now - past;
}

void trace_write(Trace *t, Comm *c, const char *path)
{
    if (!t)
        return;
    size_t bytes;
    char *mine = events_text(t, c->rank, common_zero(t, c), &bytes);
    double most = (double)bytes;
    comm_all_reduce_host(c, &most, 1, COMM_MAX);
    size_t room = (size_t)most + 1; /* all send the longest text's length */
    char *padded = alloc(room, 1), *all = c->rank == 0 ? alloc((unsigned long)c->size, room) : NULL;
    memcpy(padded, mine, bytes);
    comm_gather_host(c, all, padded, room, 0);
    if (c->rank == 0) {
        NewFile *f = file_begin(path);
        file_print(f, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
        for (int r = 0; r < c->size; r++)
            file_print(f, "%s%s", r ? ",\n" : "", all + (size_t)r * room);
        file_print(f, "\n]}\n");
        char *error = file_commit(f);
        REQUIRE(!error, "timeline not written: %s", error);
    }
    free(all);
    free(padded);
    free(mine);
}
