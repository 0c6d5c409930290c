/* background_thread.h: long work on a thread of its own, beside a window that is drawn 60 times a
 * second.
 *
 *     static void train(void *state, BackgroundThread *b)
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
 * The thread, and the OpenMP threads that it starts, give way to the window's thread where cores
 * are few (nice 5).
 */
#ifndef BACKGROUND_THREAD_H
#define BACKGROUND_THREAD_H
#include <stdbool.h>

typedef struct BackgroundThread BackgroundThread;

BackgroundThread *background_start(void (*work)(void *state, BackgroundThread *b), void *state);
void background_stop(BackgroundThread *b);              /* asks it to stop, waits until it has,
                                                         * frees b; NULL is fine */
void background_wait(BackgroundThread *b);              /* waits for its own end, or for a stop
                                                         * that is asked for by Ctrl-C */
bool background_over(BackgroundThread *b);              /* has the work returned? */
void background_pause(BackgroundThread *b, bool pause); /* holds it at its next
                                                         * background_goes_on() */
void background_step(BackgroundThread *b);              /* paused: lets it through once */
void background_lock(BackgroundThread *b);              /* for what both threads touch */
void background_unlock(BackgroundThread *b);

bool background_goes_on(BackgroundThread *b); /* for the work, between slices */
#endif
