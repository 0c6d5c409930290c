/* parallel_events.c: how long an event took: the processor's time of what computes, since ranks may
 * share a core, else the clock's. */
#include "check.h"
#include "parallel.h"
#include "timer.h"
#include <time.h>

static bool computes(EventKind kind)
{
    return kind == EVENT_FORWARD || kind == EVENT_BACKWARD || kind == EVENT_UPDATE;
}

double event_begin(EventKind kind)
{
    if (!computes(kind))
        return timer_now();
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

void event_end(Log *log, Event event, double began)
{
    ASSERT(log->count < MOST_EVENTS);
    event.seconds = event_begin(event.kind) - began;
    log->event[log->count++] = event;
}
