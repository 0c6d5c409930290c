/* 1c_converged.c: exercise: when to stop. */
#include "check.h"
#include "lab1.h"

/* Has the descent converged? loss[0 … count) holds the loss before each update and the newest one
 * last. Return true when there are more than `window` losses and over the last `window` updates
 * the loss fell by less than the fraction `tolerance`:
 *     (loss[count-1-window] - loss[count-1]) < tolerance * loss[count-1-window]
 * A loss that rose (it diverges!) has not converged, nor has one that is NaN. A loss that is
 * exactly 0 at both ends of the window has converged. window >= 1. Do not read outside the
 * array. */
bool converged(const double *loss, int count, int window, double tolerance)
{
    TODO("true when the loss hardly fell over the last `window` updates");
}
