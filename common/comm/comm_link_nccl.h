/* comm_link_nccl.h: whether a communicator uses NCCL, its start and its end; comm_nccl.c calls the
 * collectives.
 *
 * Such a communicator starts on MPI. The first tensor adds NCCL, because only then the GPU is known
 * (backend_open comes after comm_open).
 */
#ifndef COMM_LINK_NCCL_H
#define COMM_LINK_NCCL_H
#include "comm.h"
#include "comm_watch.h"
#include "nccl_check.h"
#include <stdatomic.h>

typedef struct NcclRequest NcclRequest;

typedef enum {
    NOT_YET, /* no tensor yet */
    ON_HOST, /* all tensors so far in host memory, on every rank; one on a GPU changes it */
    OVER_NCCL,
    OVER_MPI /* these ranks cannot use NCCL */
} Carrier;

typedef struct NcclComm {
    Comm base;                     /* first: a Comm * of comm_nccl.c is an NcclComm * */
    Comm *mpi;                     /* the same ranks: host memory, messages, the rest */
    struct NcclComm *whole;        /* the communicator of all ranks; may be this one */
    bool asked;                    /* --comm nccl: print a note where it cannot be used */
    bool told;                     /* whole's: the note is printed, for all ranks or a part */
    double seconds, start_seconds; /* time limits of a call, of NCCL's start */
    Carrier carrier;
    NcclRequest *spare; /* unused requests */
    int in_flight;
    /* with OVER_NCCL: */
    int device;
    _Atomic(ncclComm_t) nccl; /* NULL until started; the watchdog reads it, too */
    cudaStream_t stream;
    cudaEvent_t ready; /* in the caller's stream: the work queued before the call */
    cudaEvent_t last;  /* behind the work that the watchdog waits for; NULL: none yet */
    Watch *watch;
    /* The watchdog's: the failure's words; what CUDA said when it last asked, and how often it has
     * been an error. */
    char words[400];
    cudaError_t answer;
    int failed_looks;
} NcclComm;

/* Does NCCL carry this tensor? Collective for the first tensor on a GPU: starts NCCL where
 * possible. */
bool nccl_carries(NcclComm *c, Tensor t, Stream *s);
void nccl_leave(NcclComm *c);
#endif
