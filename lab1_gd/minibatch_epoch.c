/* minibatch_epoch.c: exercise: one epoch, a batch at a time. Contract: lab1.h. */
#include "check.h"
#include "lab1.h"

void minibatch_epoch(double *w, double *b, const double *x, const double *y, const int *order, int n, int batch,
                     double rate, double *room, UpdateReport *report, void *state)
{
    (void)w, (void)b, (void)x, (void)y, (void)order, (void)n, (void)batch, (void)rate, (void)room, (void)report, (void)state;
    TODO("one update per batch of order, the last of which may be short; report each");
}
