/* background.h: long work on a thread of its own, beside a window that is drawn 60 times a second.
 *
 *     static void train(void *state, Background *b)
 *     {
 *         while (background_goes_on(b)) {          // waits while paused; false: stop
 *             … a slice of work …
 *             background_lock(b);
 *             … publish its result for the window …
 *             background_unlock(b);
 *         }
 *     }
 *     Background *b = background_start(train, &state);
 *     …
 *     background_stop(b);
 *
 * The thread, and the OpenMP threads that it starts, give way to the window's thread where cores are few (nice 5).
 */
#ifndef BACKGROUND_H
#define BACKGROUND_H
#include <stdbool.h>

typedef struct Background Background;

Background *background_start(void (*work)(void *state, Background *b), void *state);
void background_stop(Background *b);              /* asks it to stop, waits until it has, frees b; NULL is fine */
void background_wait(Background *b);              /* waits for its own end, or for a stop that is asked for by Ctrl-C */
bool background_over(Background *b);              /* has the work returned? */
void background_pause(Background *b, bool pause); /* holds it at its next background_goes_on() */
void background_step(Background *b);              /* paused: lets it through once */
void background_lock(Background *b);              /* for what both threads touch */
void background_unlock(Background *b);

bool background_goes_on(Background *b); /* for the work, between slices */
#endif
