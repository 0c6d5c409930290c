/* 1c_converged.c: exercise: when to stop. */
#include "check.h"
#include "lab1.h"

/* Has the descent converged? loss[0 … count) are the losses so far: at the start, then after each
 * update; window >= 1. Return false when count <= window: do not read outside the array. Otherwise
 * look at two losses, before and after the last `window` updates, and at no others:
 *     a = loss[count-1-window],   z = loss[count-1]
 * Return true when the loss fell from a to z by less than the fraction `tolerance` of a,
 *     z <= a  and  a - z < tolerance a
 * or when a = z = 0; with a tolerance of 0 only then. So a loss that rose (it diverges!) has not
 * converged. Nor has one where a or z is NaN: C's comparisons with NaN are false. */
bool converged(const double *loss, int count, int window, double tolerance)
{
    TODO("true when the loss hardly fell over the last `window` updates");
}
