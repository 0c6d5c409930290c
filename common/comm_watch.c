/* comm_watch.c: see comm_watch.h. */
#include "comm_watch.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include "check.h"
#include "timer.h"

static const double LOOK_EVERY = 0.1, ABANDON_WITHIN = 2, RANKS_APART = 0.4; /* seconds */

typedef enum { QUIET, IN_CALL, QUEUED } Stage;

struct Watch {
    const WatchCalls *calls;
    void *context;
    const char *library;
    int rank;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below; never held while the library's own calls run */
    pthread_cond_t wake;
    bool over;
    Stage stage;
    const char *what, *things;
    size_t count;
    double since, seconds;
    atomic_bool abandoned;
};

static void sleep_seconds(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)}, NULL);
}

static void *abandoning(void *p)
{
    Watch *w = p;
    w->calls->abandon(w->context);
    w->abandoned = true;
    return NULL;
}

/* Of the ranks that see a failure the lowest speaks, and ends the others while they wait here. */
static _Noreturn void end_run(Watch *w, const char *message)
{
    pthread_t helper;
    sleep_seconds(RANKS_APART * w->rank);
    if (pthread_create(&helper, NULL, abandoning, w) == 0)
        for (double began = timer_now(); !w->abandoned && timer_now() - began < ABANDON_WITHIN;)
            sleep_seconds(0.01);
    die(EXIT_USAGE, "%s", message);
}

/* One look; the message that ends the run, else NULL. The lock is held. */
static char *look(Watch *w)
{
    const char *failure = w->calls->failure(w->context);
    if (failure)
        return format_new("%s: %s; the last call was %s of %zu %s: is another rank, its machine or the network gone?",
                          w->library, failure, w->what, w->count, w->things);
    if (w->stage == QUEUED && w->calls->idle(w->context))
        w->stage = QUIET;
    double waited = timer_now() - w->since;
    if (w->stage == QUIET || waited < w->seconds)
        return NULL;
    return format_new("%s: %s of %zu %s: not done after %.0f s: a rank did not come to it, or is gone"
                      " (LABS_COMM_SECONDS=N waits longer)", w->library, w->what, w->count, w->things, waited);
}

static void *watching(void *p)
{
    Watch *w = p;
    if (w->calls->begin)
        w->calls->begin(w->context);
    pthread_mutex_lock(&w->lock);
    while (!w->over) {
        char *message = look(w);
        if (message) {
            pthread_mutex_unlock(&w->lock);
            end_run(w, message);
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += (long)(LOOK_EVERY * 1e9);
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->wake, &w->lock, &until);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

Watch *watch_new(const WatchCalls *calls, void *context, const char *library, int rank)
{
    Watch *w = alloc(1, sizeof *w);
    w->calls = calls;
    w->context = context;
    w->library = library;
    w->rank = rank;
    w->what = "none", w->things = "numbers";
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    REQUIRE(!pthread_create(&w->thread, NULL, watching, w), "%s: no thread to watch it: too many processes?", library);
    return w;
}

void watch_free(Watch *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->over = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void watch_call(Watch *w, const char *what, size_t count, const char *things, double seconds)
{
    pthread_mutex_lock(&w->lock);
    w->stage = IN_CALL;
    w->what = what;
    w->count = count;
    w->things = things;
    w->since = timer_now();
    w->seconds = seconds;
    pthread_mutex_unlock(&w->lock);
}

void watch_queued(Watch *w, bool recorded)
{
    pthread_mutex_lock(&w->lock);
    w->stage = recorded ? QUIET : QUEUED;
    pthread_mutex_unlock(&w->lock);
}
