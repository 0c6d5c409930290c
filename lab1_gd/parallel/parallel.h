/* parallel.h: one update of one network on several ranks, in each of the three ways and their
 * hybrids; what every rank did in it, and when.
 *
 *   data      each rank has the whole network and a part of the batch; gradients are added
 *             data_parallel.c
 *   pipeline  each rank has some of the layers; activations go on, their gradients come back
 *             pipeline.c
 *   tensor    each rank has a slice of every block's weights; partial sums are added
 *             tensor_parallel.c
 *
 * Rank r of a scheme is replica r / (stages shards), and in it stage or shard r % (stages shards).
 */
#ifndef PARALLEL_H
#define PARALLEL_H
#include "comm.h"
#include "mlp.h"

typedef struct Scheme {
    const char *name, *exchanged;         /* "data", "gradients" */
    int replicas, stages, shards, micros; /* replicas * stages * shards ranks; stages or shards
                                           * is 1 */
} Scheme;

enum { MOST_SCHEMES = 8, MOST_RANKS = 4, MOST_ACTS = 512 };

/* The schemes for so many ranks, the serial one first; returns how many. micros: of the
 * micro-batched pipelines. */
int schemes_list(Scheme list[MOST_SCHEMES], int ranks, int micros);

/* ---- what a rank does in an update: acts, one after the other ---- */
typedef enum {
    ACT_FORWARD,
    ACT_BACKWARD,
    ACT_UPDATE,
    ACT_SEND,
    ACT_RECEIVE,
    ACT_ADD,
    ACT_KINDS
} ActKind;

typedef struct Act {
    ActKind kind;
    int micro;           /* FORWARD, BACKWARD, SEND, RECEIVE: which micro-batch */
    int partner;         /* SEND, RECEIVE: the other rank; ADD: a number that its ranks, and
                          * only they, have in common */
    double bytes;        /* SEND, RECEIVE, ADD: what travels */
    double seconds;      /* how long it took here: a computation in this thread's processor
                          * time, a message in time on the clock, waiting for the other side
                          * included */
    double began, ended; /* on the schedule's clock: replay() */
} Act;

typedef struct Log {
    int count;
    Act act[MOST_ACTS];
} Log;

double act_begin(ActKind kind);
void act_end(Log *log, Act act, double began); /* act: kind, and what else is known of it */

/* ---- a rank at work ---- */
typedef struct Worker {
    Scheme scheme;
    int rank, replica, stage, shard;
    Comm *along;  /* the stages of this pipeline, or the shards of this network; NULL: there is
                   * one */
    Comm *across; /* the ranks with the same weights in the other replicas; NULL: there is one */
    Mlp *net;
    int batch;   /* pictures per update, on all ranks together */
    double rate; /* learning rate */
    Log log;     /* of the last update */
} Worker;

/* comm: as many ranks as the scheme has, or NULL for the serial one. */
Worker *worker_new(Comm *comm, Backend *be, const Scheme *scheme, const MlpSpec *spec, int batch,
                   double rate);
void worker_free(Worker *w);
void worker_update(Worker *w);                 /* forward, backward, exchange, weights; fills
                                                * w->log */
double worker_bytes(const Worker *w);          /* given to others so far, as comm.h counts them */
double worker_bytes_expected(const Worker *w); /* per update, by formula */
bool worker_reports_loss(const Worker *w);     /* it has the loss of its replica's part of the
                                                * batch */

/* Forward and backward of this rank's part, one file each. The gradients are left in net->grads. */
void whole_pass(Worker *w); /* data_parallel.c: all layers are here */
void pipeline_pass(Worker *w);
void tensor_pass(Worker *w);
void data_sum(Worker *w); /* data_parallel.c: add the replicas' gradients */

/* ---- the schedule: replay.c ---- */

/* When each act would have begun and ended if every rank had a processor of its own: log[r] of each
 * rank. A computation takes its processor time. A message begins when both sides are there, a sum
 * when all are; it takes as long as the fastest of its size did: what came on top was waiting.
 * Returns the end, in seconds from the beginning. */
double replay(Log *log, int ranks);
/* The share of the schedule's time [0, end] that a rank does not compute: it waits, or sends
 * (exercise busy.c). */
double replay_idle(const Log *log, double end);
#endif
