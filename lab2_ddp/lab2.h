/* lab2.h: the functions that you write in lab 2; their contracts are in exercises/. Those of parts
 * 7 and 10, and what the trainer is given, have headers of their own.
 */
#ifndef LAB2_H
#define LAB2_H
#include "comm.h"
#include "link.h"
#include "parts/10_shard/shard.h"
#include "parts/12_split/split.h"
#include "parts/3_train/train.h"
#include "parts/7_compression/remedy.h"
#include <mpi.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- part 2: exercises/2a to 2f ---- */

/* On every rank: v [count] becomes its sum over the ranks. */
typedef void AllReduce(float *v, int count, MPI_Comm comm);
AllReduce all_reduce_naive, all_reduce_ring, all_reduce_doubling, all_reduce_halving,
    all_reduce_tree;

typedef enum {
    ALL_REDUCE_NAIVE,
    ALL_REDUCE_RING,
    ALL_REDUCE_DOUBLING,
    ALL_REDUCE_HALVING,
    ALL_REDUCE_TREE,
    ALL_REDUCES
} Algorithm;
/* What an all-reduce takes, in seconds; alpha: seconds, beta: seconds per byte. */
double all_reduce_seconds(Algorithm a, int P, double bytes, double alpha, double beta);

/* The gradient in buckets, all-reduced during the backward pass. */
enum { MOST_BUCKETS = 256 };
typedef struct Buckets {
    Comm *comm;
    Stream *s;
    Tensor grads; /* the flat gradient, F32 */
    double least; /* bytes: a bucket of at least this size is started */
    /* The open bucket, elements [first, end) of grads: complete on this rank, and not started.
     * Before the backward pass both are grads.n. */
    size_t first, end;
    CommRequest *flight[MOST_BUCKETS]; /* the all-reduces started, in this order */
    int count;
} Buckets;

/* exercises/4a_bucket_add.c, 4b_bucket_finish.c, 4c_exposed_seconds.c */
void bucket_add(Buckets *b, size_t first, int count);
void bucket_finish(Buckets *b);
double exposed_seconds(const double *seconds, const double *bytes, int layers, double least, int P,
                       Link link);

/* exercises/5a_partition.c, 5b_share_seen.c */
typedef enum {
    PARTITION_PLAIN,
    PARTITION_CUT,
    PARTITION_OWN_ORDERS,
    PARTITION_ONE_ORDER,
    PARTITION_KINDS
} PartitionKind;
int partition(int32_t *mine, PartitionKind kind, int count, int rank, int size, uint64_t seed,
              int epoch);
double share_seen(PartitionKind kind, int size, int epochs);

/* ---- part 6: exercises/6a_efficiency.c, 6b_bandwidth_for.c ---- */

/* One update as every rank makes it. */
typedef struct UpdateWork {
    double forward, backward; /* seconds of computing; the update of the weights is in `forward` */
    double bytes;             /* of the gradient */
    int buckets;              /* equal parts in which it is exchanged; 1: all after the backward */
} UpdateWork;
double efficiency(int P, UpdateWork work, Link link);
double bandwidth_for(int P, UpdateWork work, double latency, double wanted);

/* ---- part 8: exercises/8a_local_due.c to 8d_sparse_delta.c ---- */

bool local_due(int64_t step, int64_t steps, int64_t every, int64_t plain);
void delayed_average(float *w, const float *sent, const float *mean, int n);
void outer_step(float *start, float *v, const float *delta, int n, double rate, double momentum);
enum { SPARSE_CHUNK = 4096 }; /* elements; the last chunk of a vector may have fewer */
void sparse_delta(int32_t *at, float *value, float *residual, const float *delta, int n, int k,
                  double decay, bool two_bits);

/* ---- part 9: exercises/9a_serve_next.c to 9c_expected_staleness.c ---- */

/* A gradient that has arrived at the parameter server, and is not used yet. */
typedef struct Arrived {
    int worker;
    int version; /* of the weights that it was computed with */
    double at;   /* when it arrived, seconds */
} Arrived;
int serve_next(int *use, const Arrived *queue, int n, int version, int wait_for);
void apply_stale(float *w, float *v, const float *g, int n, double rate, double momentum,
                 int staleness, bool aware);
double expected_staleness(const double *period, int workers, int worker);

#endif
