/* comm_nccl.h: the NCCL implementation in two halves: comm_nccl.c calls the collectives,
 * comm_link_nccl.c decides whether NCCL can serve and brings it up and down.
 *
 * A communicator of this kind is one of MPI first. NCCL comes on top when the first tensor shows
 * where the numbers lie: only then is a GPU chosen (backend_open comes after comm_open). So the
 * first collective must not be one that is being recorded into a graph.
 */
#ifndef COMM_NCCL_H
#define COMM_NCCL_H
#include "backend/cuda/cuda_check.h"
#include "comm.h"
#include "comm_watch.h"
#include <nccl.h>
#include <stdatomic.h>

typedef struct NcclRequest NcclRequest;

typedef enum {
    NOT_YET, /* no tensor was seen */
    ON_HOST, /* all so far were in host memory, on every rank; one on a GPU changes it */
    OVER_NCCL,
    OVER_MPI /* NCCL cannot serve these ranks */
} Carrier;

typedef struct NcclComm {
    Comm base;                     /* first: a Comm * of comm_nccl.c is an NcclComm * */
    Comm *mpi;                     /* the same ranks: host memory, messages, what NCCL cannot do */
    struct NcclComm *whole;        /* what this is a part of: all ranks; or itself */
    bool asked;                    /* by --comm nccl: say so where it cannot serve */
    bool told;                     /* the whole's: that it cannot, for all ranks or for a part's */
    double seconds, start_seconds; /* that a call, NCCL's start may take */
    Carrier carrier;
    NcclRequest *spare; /* requests at rest */
    int under_way;
    /* with OVER_NCCL: */
    int device;
    _Atomic(ncclComm_t) nccl; /* NULL until it is up; the watch reads it, too */
    cudaStream_t stream;
    cudaEvent_t ready; /* in the caller's stream: what was queued before the call */
    Watch *watch;
    char words[300]; /* the watch's: what NCCL said */
} NcclComm;

/* Does NCCL carry this tensor's numbers? The first time on a GPU all ranks come here, and bring
 * NCCL up where it can serve. */
bool nccl_carries(NcclComm *c, Tensor t, Stream *s);
void nccl_leave(NcclComm *c);

/* Every call of NCCL stands in this one: its error ends the run with file, line, call and NCCL's
 * own words. */
#define NCCL_CHECK(call) nccl_check((call), __FILE__, __LINE__, #call)
void nccl_check(ncclResult_t code, const char *file, int line, const char *call);
#endif
