/* five_all_reduces.h: lab 2's five all-reduces, the references, for the tests of the link (link.h):
 * each takes the time that the α-β model predicts for it. */
#ifndef FIVE_ALL_REDUCES_H
#define FIVE_ALL_REDUCES_H
#include "link.h"
#include "parts/2_all_reduce/all_reduces.h"

/* Is the prediction exact? That of some is only for P a power of 2. */
bool five_has_model(int k, int P);
/* Seconds of all_reduces[k] on P ranks with `bytes` in all. */
double five_predicted(int k, int P, double bytes, Link link);
/* Seconds on this process's clock from a common start to the end of the last rank, the same on
 * every rank: the least of `repeats` runs of the k-th over n elements, since a busy machine delays
 * the real clock. On the virtual clock only the link counts, not the additions, as in the model. A
 * sum that is wrong ends the run (exit 1). */
double five_measured(int k, int n, int repeats, MPI_Comm comm);
#endif
