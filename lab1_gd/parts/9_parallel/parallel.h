/* parallel.h: one update of one network on several ranks, in each of three ways and their hybrids;
 * and a log of what every rank did, and when.
 *
 *   data      each rank has the whole network and a slice of the batch; gradients are summed
 *             data_parallel.c
 *   pipeline  each rank has some of the layers; activations go forward, their gradients back
 *             pipeline.c
 *   tensor    each rank has a slice of every block's weights; partial results are summed
 *             tensor_parallel.c
 *
 * Rank r of a scheme belongs to replica r / (stages shards), as its stage or shard
 * r % (stages shards).
 */
#ifndef PARALLEL_H
#define PARALLEL_H
#include "comm.h"
#include "mlp.h"

typedef struct Scheme {
    const char *name, *exchanged;         /* "data", "gradients" */
    int replicas, stages, shards, micros; /* replicas * stages * shards ranks; stages or shards
                                           * is 1 */
    bool alternates;                      /* a pipeline: one forward, one backward (1F1B) */
} Scheme;

enum { MOST_SCHEMES = 8, MOST_RANKS = 4, MOST_EVENTS = 512 };

/* The schemes for this world size, the serial one first; returns how many. micros: micro-batches of
 * the pipelines that have them. */
int schemes_list(Scheme list[MOST_SCHEMES], int ranks, int micros);

/* ---- what a rank does in an update: one event after the other ---- */
typedef enum {
    EVENT_FORWARD,
    EVENT_BACKWARD,
    EVENT_UPDATE,
    EVENT_SEND,
    EVENT_RECEIVE,
    EVENT_ADD,
    EVENT_KINDS
} EventKind;

typedef struct Event {
    EventKind kind;
    int micro;           /* FORWARD, BACKWARD, SEND, RECEIVE: the micro-batch */
    int partner;         /* SEND, RECEIVE: the other rank; ADD: an id that its ranks share */
    double bytes;        /* SEND, RECEIVE, ADD: payload */
    double seconds;      /* duration here: of a computation in this thread's processor time,
                          * of a message in wall-clock time, with the wait for the other side */
    double began, ended; /* s, on the schedule's clock: replay() */
} Event;

typedef struct Log {
    int count;
    Event event[MOST_EVENTS];
} Log;

double event_begin(EventKind kind);
void event_end(Log *log, Event event, double began); /* sets event.seconds */

/* ---- a rank at work ---- */
typedef struct Worker {
    Scheme scheme;
    int rank, replica, stage, shard;
    Comm *along;  /* the stages of this pipeline, or the shards of this network; NULL: one rank */
    Comm *across; /* the ranks with the same weights in the other replicas; NULL: one rank */
    Mlp *net;
    int batch;   /* images per update, on all ranks together */
    double rate; /* learning rate */
    Log log;     /* of the last update */
} Worker;

/* comm has the number of ranks of the scheme; NULL for the serial one. */
Worker *worker_new(Comm *comm, Backend *be, const Scheme *scheme, const MlpSpec *spec, int batch,
                   double rate);
void worker_free(Worker *w);
void worker_update(Worker *w);                 /* forward, backward, exchange, step; fills
                                                * w->log */
double worker_bytes(const Worker *w);          /* sent so far, as comm.h counts them */
double worker_bytes_expected(const Worker *w); /* per update, by formula */
bool worker_reports_loss(const Worker *w);     /* it has the loss of its replica's slice of
                                                * the batch */

/* Forward and backward of this rank's part, one file each. They leave the gradients in
 * net->grads. */
void whole_pass(Worker *w); /* data_parallel.c: all layers */
void pipeline_pass(Worker *w);
void tensor_pass(Worker *w);
void data_sum(Worker *w); /* data_parallel.c: sum the replicas' gradients */

/* ---- the schedule: replay.c ---- */

/* Sets when each event of log[ranks] would have begun and ended if every rank had its own
 * processor. A computation takes its processor time. A message begins when both sides have reached
 * it, a sum when all ranks have; it takes as long as the fastest of its size: the rest was waiting.
 * Returns the end, in seconds from the start. */
double replay(Log *log, int ranks);
/* The fraction of the schedule [0, end] in which a rank does not compute: it waits or communicates
 * (exercises/8_busy.c). */
double replay_idle(const Log *log, double end);
/* Of how many micro-batches a rank keeps the activations at most: forward is done, backward not. */
int replay_kept(const Log *log);
#endif
