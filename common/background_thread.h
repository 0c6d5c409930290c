/* background_thread.h: long work on a second thread, while the window is drawn 60 times a second.
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
 *     BackgroundThread *b = background_start(train, &context);
 *     …
 *     background_stop(b);
 *
 * Where cores are few, the window comes first: the thread, and the OpenMP threads that it starts,
 * run at lower priority (nice 5).
 */
#ifndef BACKGROUND_THREAD_H
#define BACKGROUND_THREAD_H
#include <stdbool.h>

typedef struct BackgroundThread BackgroundThread;

BackgroundThread *background_start(void (*work)(void *context, BackgroundThread *b), void *context);
/* Ask it to stop, wait until it has, and free b; NULL is fine. */
void background_stop(BackgroundThread *b);
/* Wait until the work returns by itself, or because of Ctrl-C. */
void background_wait(BackgroundThread *b);
bool background_over(BackgroundThread *b); /* has the work returned? */
/* Pause it at its next background_goes_on(), or let it continue. */
void background_pause(BackgroundThread *b, bool pause);
void background_step(BackgroundThread *b); /* while paused: let it through once */
void background_lock(BackgroundThread *b); /* guards everything that both threads use */
void background_unlock(BackgroundThread *b);

bool background_goes_on(BackgroundThread *b); /* for the work, between slices */
#endif
