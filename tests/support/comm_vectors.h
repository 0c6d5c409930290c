/* comm_vectors.h: what the tests of comm.h share: vectors whose elements are known for every rank,
 * so each rank checks everything it receives; on a device whose memory the host can reach and on
 * one whose memory it cannot.
 */
#ifndef COMM_VECTORS_H
#define COMM_VECTORS_H
#include "comm.h"
#include "fake_backend.h"
#include "harness.h"

typedef struct Setup {
    Comm *c;
    Backend *be;
    Stream *s;
} Setup;

/* Open comm.h's `kind` and run `group` on either kind of device. */
void over_both_devices(const char *kind, void (*group)(Setup *));

double element(int rank, int i);           /* rank's element i: a small integer, so sums are
                                            * exact in every type */
double reduced(Comm *c, CommOp op, int i); /* element i of all ranks, reduced */

/* A new vector of n elements inside a longer one of 999s; they are 3 * rank's, computed by work
 * that is still queued. */
Tensor vector_new(Setup *x, DType t, int n, int rank);
/* Every element of t must be 3 * expected, also for work queued after the collective; the 999s must
 * be untouched. */
void check_and_free(Setup *x, Tensor t, double (*expected)(Setup *, int), const char *what);
#endif
