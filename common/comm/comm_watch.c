/* comm_watch.c: see comm_watch.h. Two threads: one asks the library, the other watches the clock
 * and makes no call in which the first may hang.
 */
#include "comm_watch.h"
#include "check.h"
#include "timer.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static const double LOOK_EVERY = 0.1, RANKS_APART = 0.4, APART_AT_MOST = 4; /* seconds */

typedef enum { QUIET, IN_CALL, QUEUED } Stage;

struct Watch {
    const WatchCalls *calls;
    void *context;
    const char *library;
    int rank;
    pthread_t asker, clock;
    pthread_mutex_t asking; /* held while the library is asked */
    pthread_mutex_t lock;   /* of all below; never held while the library is asked */
    pthread_cond_t wake;
    bool over;
    Stage stage;
    const char *what, *things;
    size_t count;
    double since, seconds;
};

/* The lowest rank that sees a failure prints it, and ends the others while they wait here. */
static _Noreturn void end_run(Watch *w, const char *message)
{
    double seconds = fmin(RANKS_APART * w->rank, APART_AT_MOST);
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)}, NULL);
    die(EXIT_USAGE, "%s", message);
}

/* Wait for the next check; false: the watchdog ends. */
static bool rest(Watch *w)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(LOOK_EVERY * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&w->lock);
    while (!w->over && pthread_cond_timedwait(&w->wake, &w->lock, &until) == 0)
        ;
    bool again = !w->over;
    pthread_mutex_unlock(&w->lock);
    return again;
}

static bool is_queued(Watch *w)
{
    pthread_mutex_lock(&w->lock);
    bool queued = w->stage == QUEUED;
    pthread_mutex_unlock(&w->lock);
    return queued;
}

/* Ask the library; the message that ends the run, else NULL. */
static char *ask(Watch *w)
{
    char *message = NULL;
    pthread_mutex_lock(&w->asking);
    const char *failure = w->calls->failure(w->context);
    bool idle = !failure && is_queued(w) && w->calls->idle(w->context);
    pthread_mutex_lock(&w->lock);
    if (failure)
        message = format_new("%s: %s; the last call was %s of %zu %s", w->library, failure, w->what,
                             w->count, w->things);
    else if (idle && w->stage == QUEUED) /* no new call has begun */
        w->stage = QUIET;
    pthread_mutex_unlock(&w->lock);
    pthread_mutex_unlock(&w->asking);
    return message;
}

static void *asks(void *p)
{
    Watch *w = p;
    if (w->calls->begin)
        w->calls->begin(w->context);
    do {
        char *message = ask(w);
        if (message)
            end_run(w, message);
    } while (rest(w));
    return NULL;
}

/* Ask the clock, in the same way. */
static char *late(Watch *w)
{
    char *message = NULL;
    pthread_mutex_lock(&w->lock);
    double waited = timer_real() - w->since;
    if (w->stage != QUIET && waited >= w->seconds)
        message =
            format_new("%s: %s of %zu %s: not done after %.0f s: a rank did not call it, or is gone"
                       " (LABS_COMM_SECONDS=N waits longer, --comm mpi avoids %s)",
                       w->library, w->what, w->count, w->things, waited, w->library);
    pthread_mutex_unlock(&w->lock);
    return message;
}

static void *looks_at_clock(void *p)
{
    Watch *w = p;
    do {
        char *message = late(w);
        if (message)
            end_run(w, message);
    } while (rest(w));
    return NULL;
}

Watch *watch_new(const WatchCalls *calls, void *context, const char *library, int rank)
{
    Watch *w = alloc(1, sizeof *w);
    pthread_condattr_t steady;
    w->calls = calls;
    w->context = context;
    w->library = library;
    w->rank = rank;
    w->what = "none", w->things = "elements";
    pthread_mutex_init(&w->asking, NULL);
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(&w->wake, &steady);
    pthread_condattr_destroy(&steady);
    REQUIRE(!pthread_create(&w->asker, NULL, asks, w) &&
                !pthread_create(&w->clock, NULL, looks_at_clock, w),
            "%s: cannot start its watchdog: too many processes?", library);
    return w;
}

void watch_free(Watch *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->asker, NULL);
    pthread_join(w->clock, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->asking);
    free(w);
}

void watch_call(Watch *w, const char *what, size_t count, const char *things, double seconds)
{
    pthread_mutex_lock(&w->lock);
    w->stage = IN_CALL;
    w->what = what;
    w->count = count;
    w->things = things;
    w->since = timer_real();
    w->seconds = seconds;
    pthread_mutex_unlock(&w->lock);
    pthread_mutex_lock(&w->asking); /* waits for a running check, within the time limit */
    pthread_mutex_unlock(&w->asking);
}

void watch_queued(Watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->stage = QUEUED;
    pthread_mutex_unlock(&w->lock);
}
