/* 3_minibatch_epoch.c: exercise: one epoch, a batch at a time. */
#include "check.h"
#include "lab1.h"

/* One epoch of minibatch SGD, 1 <= batch <= n. Take the examples order[0 … n) in this order,
 * `batch` at a time: the first update is on order[0 … batch), the next on the following `batch`
 * examples, and so on. Where batch does not divide n, the last update is on the few that are left,
 * and its gradient is the mean over these alone. Each update starts where the last one ended: call
 * gradient() on the batch's points, then update(), then
 *     report(context, first, size, *w, *b)
 * for a batch of order[first … first + size) and the weights after its update.
 *     w, b     in: where the epoch starts; out: where it ends
 *     x, y     all points; order[i] is an index into both, and may occur twice (with replacement)
 *     room     [2 * batch] scratch memory, uninitialised, for the batch's x and its y, because
 *              gradient() wants contiguous arrays
 * Do not change `order`. The check compares each update to 1e-9 (absolute plus relative); it uses
 * its own gradient() and update(). */
void minibatch_epoch(double *w, double *b, const double *x, const double *y, const int *order,
                     int n, int batch, double rate, double *room, UpdateReport *report,
                     void *context)
{
    TODO("one update per batch of order, the last one perhaps smaller; report each");
}
