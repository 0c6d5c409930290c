/* 1c_converged.c: exercise: when to stop. */
#include "check.h"
#include "lab1.h"

/* Has the descent arrived? loss[0 … count) are the losses so far, the newest last. True when there
 * are more than `window` of them and over the last `window` updates the loss fell, relative to what
 * it was before them, by less than `tolerance`:
 *     (loss[count-1-window] - loss[count-1]) < tolerance * loss[count-1-window]
 * A loss that rose (diverging!) has not converged, and neither has one that is not a number; a loss
 * of exactly 0 that stays 0 has. */
bool converged(const double *loss, int count, int window, double tolerance)
{
    TODO("true when the loss hardly fell over the last `window` updates");
}
