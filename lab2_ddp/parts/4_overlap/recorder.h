/* recorder.h: a communicator that writes down the all-reduces that are asked of it, and passes them
 * on to another. So the code that exchanges gradients need not measure anything.
 */
#ifndef RECORDER_H
#define RECORDER_H
#include "comm.h"

enum { RECORDER_MOST = 512 };

typedef struct Recorded {
    size_t first; /* elements [first, first + count) of the recorded vector */
    int count;
    bool blocking;       /* comm_all_reduce */
    int tests, waits;    /* how many comm_test and comm_wait asked about it */
    double began, ended; /* seconds, by the recorder's clock; ended: when the program saw it done;
                          * NaN: not yet */
    struct Recorder *owner;
    CommRequest *inner;
} Recorded;

typedef struct Recorder {
    Comm comm; /* first: give &recorder->comm to those who are recorded */
    Comm *inner;
    Tensor vector; /* whose slices are all-reduced */
    double (*clock)(void);
    int made; /* since recorder_reset */
    Recorded all_reduce[RECORDER_MOST];
} Recorder;

/* Of all-reduces of slices of `vector`. inner: who does them; NULL: nobody (comm_test finds
 * the odd-numbered ones done, comm_wait returns), in a communicator of two ranks of which this is
 * rank 0. */
void recorder_init(Recorder *r, Comm *inner, Tensor vector, double (*clock)(void));
void recorder_reset(Recorder *r); /* forget all; nothing may be in flight */
#endif
