/* 3_minibatch_epoch.c: exercise: one epoch, a batch at a time. */
#include "check.h"
#include "lab1.h"

/* One epoch of minibatch SGD. The examples order[0 … n) are taken in this order, `batch` at a time:
 * the first update is on order[0 … batch), the next one on the `batch` after those, and so on.
 * Where batch does not divide n, the last update is on the fewer that remain, and its slope is the
 * mean over these. Each update starts where the one before arrived: gradient() over the batch's
 * points, update(), then report(state, …).
 *     w, b     in: where the epoch starts; out: where it ends
 *     x, y     all points; order[i] is a place in them (with replacement one may come twice)
 *     room     [2 * batch] room to bring a batch's x, and behind them its y, together: gradient()
 *              wants them side by side
 * 1 <= batch <= n. */
void minibatch_epoch(double *w, double *b, const double *x, const double *y, const int *order,
                     int n, int batch, double rate, double *room, UpdateReport *report, void *state)
{
    TODO("one update per batch of order, the last of which may be short; report each");
}
