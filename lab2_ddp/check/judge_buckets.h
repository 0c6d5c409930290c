/* judge_buckets.h: what the checks of the buckets share: a gradient that lies nowhere, in layers,
 * and a communicator that only writes down what is asked of it.
 */
#ifndef JUDGE_BUCKETS_H
#define JUDGE_BUCKETS_H
#include "lab2.h"
#include "parts/4_overlap/recorder.h"

enum { JUDGED_LAYERS = 6 };
/* Elements of the layers, in the order of the vector. */
extern const int judged_layer[JUDGED_LAYERS];

/* All-reduces of buckets of `least` bytes; nothing is in flight. r must outlive the buckets. */
Buckets judged_buckets(Recorder *r, double least);
/* Start the all-reduce of elements [first, first + count), as bucket_add should have done. */
void judged_start(Buckets *b, size_t first, int count);
/* Only the requests in flight must be asked about. */
void judged_flight(const Recorder *r);
#endif
