/* background_thread.h: long work on a background thread, beside a window that is drawn 60 times a
 * second.
 *
 *     static void train(void *context, BackgroundThread *b)
 *     {
 *         while (background_goes_on(b)) {          // waits while paused; false: stop
 *             … a slice of work …
 *             background_lock(b);
 *             … publish its result for the window …
 *             background_unlock(b);
 *         }
 *     }
 *     BackgroundThread *b = background_start(train, &state);
 *     …
 *     background_stop(b);
 *
 * The thread, and the OpenMP threads that it starts, yield to the window's thread when cores are
 * few (nice 5).
 */
#ifndef BACKGROUND_THREAD_H
#define BACKGROUND_THREAD_H
#include <stdbool.h>

typedef struct BackgroundThread BackgroundThread;

BackgroundThread *background_start(void (*work)(void *context, BackgroundThread *b), void *context);
/* Stops it, waits for its end, frees b; NULL is fine. */
void background_stop(BackgroundThread *b);
/* Waits until the work returns; Ctrl-C stops it. */
void background_wait(BackgroundThread *b);
/* Holds it at its next background_goes_on(). */
void background_pause(BackgroundThread *b, bool pause);
void background_step(BackgroundThread *b); /* paused: lets it through once */
/* For data that both threads use. NULL is fine in these three: there is one thread. */
void background_lock(BackgroundThread *b);
void background_unlock(BackgroundThread *b);
bool background_goes_on(BackgroundThread *b); /* for the work, between slices */
#endif
