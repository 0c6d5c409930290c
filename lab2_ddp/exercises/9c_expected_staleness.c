/* 9c_expected_staleness.c: exercise: how old are the gradients of an asynchronous server? */
#include "check.h"
#include "lab2.h"

/* Predict the mean staleness of the gradients of an asynchronous server: how many updates are made
 * from when a worker gets the weights until its gradient is used.
 * Worker i sends a gradient every period[i] > 0 seconds, and gets new weights at once; the server
 * takes no time.
 *
 * worker >= 0: the mean over this worker's gradients. -1: over all gradients that arrive (a fast
 * worker sends more of them). There is a surprise in the second. workers >= 1. */
double expected_staleness(const double *period, int workers, int worker)
{
    TODO("how many gradients of the others arrive in one period of this worker?");
}
