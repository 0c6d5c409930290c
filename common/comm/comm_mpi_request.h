/* comm_mpi_request.h: how the tensors of comm_mpi.c's calls come to MPI and back.
 *
 * MPI reads and writes host memory. A tensor that the host cannot reach (a GPU's) is staged:
 * downloaded into host memory that belongs to the request, sent from there, and uploaded when the
 * request completes. An operation is
 *     request_begin; request_lend each tensor; the MPI call, on r->mpi where it does not wait;
 *     request_end
 */
#ifndef COMM_MPI_REQUEST_H
#define COMM_MPI_REQUEST_H
#include "comm.h"
#include <mpi.h>

/* Unused requests, with their staging memory, and the count of those in flight. */
typedef struct RequestPool {
    CommRequest *spare;
    int in_flight;
} RequestPool;

/* The staging memory of one tensor of an operation. */
typedef struct Staged {
    void *host;                    /* reused, grown on demand */
    size_t capacity;               /* bytes */
    void (*release)(void *memory); /* frees host: the device's, or free() */
    Tensor upload;                 /* the target when the operation completes, unless NO_TENSOR */
} Staged;

struct CommRequest {
    CommRequest *next; /* in the pool */
    RequestPool *pool;
    Stream *s;
    MPI_Request mpi;
    MPI_Status status;
    bool done; /* MPI has completed it */
    Staged staged[2];
    int lent;        /* entries of staged[] in use */
    size_t expected; /* bytes to receive */
    bool receives;
};

enum { MPI_READS = 1, MPI_WRITES = 2 };

CommRequest *request_begin(RequestPool *pool, Stream *s); /* waits for the work queued on s */
/* t's elements at a host address for MPI. */
void *request_lend(CommRequest *r, Tensor t, int use);
/* Return it in *request, or complete it where request is NULL. */
void request_end(CommRequest *r, CommRequest **request);
int request_wait(CommRequest *r);  /* CommOps.wait */
bool request_test(CommRequest *r); /* CommOps.test */
void request_pool_free(RequestPool *pool);
#endif
