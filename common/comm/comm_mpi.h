/* comm_mpi.h: the MPI implementation in two halves: comm_mpi.c calls MPI, comm_mpi_request.c brings
 * the tensors to it.
 *
 * MPI reads and writes host memory. A tensor that the host cannot reach (a GPU's) is staged:
 * downloaded into host memory that belongs to the request, sent from there, and uploaded when the
 * request completes. An operation is
 *     request_begin; request_lend each tensor; the MPI call, on r->mpi where it does not wait;
 *     request_end
 */
#ifndef COMM_MPI_H
#define COMM_MPI_H
#include "comm.h"
#include <mpi.h>

/* Requests at rest, with their staging memory, and how many are under way. */
typedef struct RequestPool {
    CommRequest *spare;
    int under_way;
} RequestPool;

/* One tensor of an operation, where it has to be staged. */
typedef struct Staged {
    void *host;                    /* kept from use to use, grown on demand */
    size_t capacity;               /* bytes */
    void (*release)(void *memory); /* its end: the device's, or free() */
    Tensor upload; /* gets the staged numbers when the operation completes, unless NO_TENSOR */
} Staged;

struct CommRequest {
    CommRequest *next; /* in the pool */
    RequestPool *pool;
    Stream *s;
    MPI_Request mpi;
    MPI_Status status;
    bool done; /* MPI is through with it */
    Staged staged[2];
    int lent;        /* how many of staged[] are in use */
    size_t expected; /* bytes that a receive must get */
    bool receives;
};

enum { MPI_READS = 1, MPI_WRITES = 2 };

CommRequest *request_begin(RequestPool *pool, Stream *s); /* waits for what was queued on s */
void *request_lend(CommRequest *r, Tensor t, int use);    /* t's numbers where MPI can read or
                                                           * write them */
void request_end(CommRequest *r, CommRequest **request);  /* hand it out, or complete it where
                                                           * request is NULL */
int request_wait(CommRequest *r);                         /* CommOps.wait */
bool request_test(CommRequest *r);                        /* CommOps.test */
void request_pool_free(RequestPool *pool);

/* Call an MPI function; its error ends the run with MPI's own words. */
#define MPI_CHECK(function, ...) mpi_check(function(__VA_ARGS__), #function)
void mpi_check(int code, const char *function);
#endif
