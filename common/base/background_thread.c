/* background_thread.c: a thread, a lock, and a gate that the thread passes between two slices of
 * its work. */
#include "background_thread.h"
#include "check.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct BackgroundThread {
    void (*work)(void *state, BackgroundThread *b);
    void *state;
    pthread_t thread;
    pthread_mutex_t data, gate; /* data: the caller's; gate: the fields below */
    pthread_cond_t changed;
    bool paused, stopped, over;
    int steps; /* how often it may still pass while paused */
};

static void *main_of_thread(void *argument)
{
    BackgroundThread *b = argument;
    id_t thread = (id_t)gettid(); /* of this thread alone */
    setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + 5);
    b->work(b->state, b);
    pthread_mutex_lock(&b->gate);
    b->over = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->gate);
    return NULL;
}

BackgroundThread *background_start(void (*work)(void *state, BackgroundThread *b), void *state)
{
    BackgroundThread *b = alloc(1, sizeof *b);
    b->work = work;
    b->state = state;
    pthread_mutex_init(&b->data, NULL);
    pthread_mutex_init(&b->gate, NULL);
    pthread_cond_init(&b->changed, NULL);
    REQUIRE(pthread_create(&b->thread, NULL, main_of_thread, b) == 0,
            "no thread can be started: too many processes?");
    return b;
}

static void change(BackgroundThread *b, bool paused, bool stopped, int steps)
{
    pthread_mutex_lock(&b->gate);
    b->paused = paused;
    b->stopped |= stopped;
    b->steps += steps;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->gate);
}

void background_pause(BackgroundThread *b, bool pause) { change(b, pause, false, 0); }
void background_step(BackgroundThread *b) { change(b, true, false, 1); }

static bool is_over(BackgroundThread *b)
{
    pthread_mutex_lock(&b->gate);
    bool over = b->over;
    pthread_mutex_unlock(&b->gate);
    return over;
}

bool background_goes_on(BackgroundThread *b)
{
    if (!b)
        return true;
    pthread_mutex_lock(&b->gate);
    while (b->paused && !b->stopped && b->steps == 0)
        pthread_cond_wait(&b->changed, &b->gate);
    if (b->paused && b->steps > 0)
        b->steps--;
    bool goes_on = !b->stopped;
    pthread_mutex_unlock(&b->gate);
    return goes_on;
}

void background_wait(BackgroundThread *b)
{
    while (!is_over(b) && !stop_requested())
        usleep(20000);
    change(b, false, stop_requested(), 0);
}

void background_stop(BackgroundThread *b)
{
    if (!b)
        return;
    change(b, false, true, 0);
    pthread_join(b->thread, NULL);
    pthread_mutex_destroy(&b->data);
    pthread_mutex_destroy(&b->gate);
    pthread_cond_destroy(&b->changed);
    free(b);
}

void background_lock(BackgroundThread *b)
{
    if (b)
        pthread_mutex_lock(&b->data);
}

void background_unlock(BackgroundThread *b)
{
    if (b)
        pthread_mutex_unlock(&b->data);
}
