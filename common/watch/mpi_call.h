/* mpi_call.h: one call of MPI, as the layer between a program and MPI sees it.
 *
 * MPI lets a program replace MPI_Send, MPI_Allreduce, … by its own functions; the originals are
 * PMPI_Send, … (the profiling interface). mpi_calls.c replaces the functions that the labs and
 * their students use: the watch (call_board.h) records who is in which call, and the link (link.h)
 * decides when it returns. Calls that move data and that the link does not model end a run on a
 * link (mpi_refused.c). All others are left alone.
 */
#ifndef MPI_CALL_H
#define MPI_CALL_H
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum {
    CALL_SEND,
    CALL_RECV,
    CALL_SEND_RECV,
    CALL_WAIT,
    CALL_BARRIER, /* from here on collectives */
    CALL_BROADCAST,
    CALL_REDUCE,
    CALL_ALL_REDUCE,
    CALL_REDUCE_SCATTER,
    CALL_ALL_GATHER,
    CALL_GATHER,
    CALL_SCATTER,
    CALL_ALL_TO_ALL,
    CALL_SCAN,
    CALL_CREATE, /* creates or frees a communicator */
    CALL_UNEQUAL /* MPI_Allgatherv and the like: each rank has its own sizes */
} CallKind;

typedef struct Call {
    CallKind kind;
    const char *name; /* "MPI_Allreduce" */
    MPI_Comm comm;
    const void *data; /* of a message that is sent */
    int count;        /* elements as in the call: of a gather or scatter those of one rank */
    MPI_Datatype type;
    MPI_Op op;      /* of a reduction */
    int peer, from; /* to whom, from whom; the root of a collective is its peer; -1: none */
    int tag;
    int model;        /* of CALL_UNEQUAL: a LinkCollective, */
    double whole;     /* and the bytes of the whole vector */
    bool starts;      /* returns at once: MPI_I… */
    const void *site; /* the address it was called from */
} Call;

enum { MOST_WORLD = 256 }; /* ranks; a larger run has no board */

/* What the layer knows of a communicator whose creation it saw. */
typedef struct CallComm {
    uint64_t id;                       /* the same on all its ranks */
    long calls;                        /* collectives on it so far */
    int made, grouped;                 /* communicators made from it so far, by how */
    int rank, size;                    /* in it */
    int *world;                        /* [size]: the ranks in MPI_COMM_WORLD */
    uint64_t members[MOST_WORLD / 64]; /* bit r: rank r of MPI_COMM_WORLD is in it */
    /* the link's: the clock when it has made the last of the collectives, and what to call before
     * the communicator is freed; NULL: nothing */
    double link_free;
    void (*on_free)(const struct CallComm *c);
} CallComm;

/* Between MPI_Init and MPI_Finalize. */
void call_comms_begin(void);
void call_comms_end(void);
/* `made` was made from `parent`; every rank of the parent calls it, MPI_COMM_NULL included. */
void call_comm_made(MPI_Comm parent, MPI_Comm made);
/* The same, but only the ranks of `made` call it: MPI_Comm_create_group. */
void call_group_made(MPI_Comm parent, MPI_Comm made);
/* NULL: made by a function that is not replaced. */
CallComm *call_comm(MPI_Comm comm);
/* Bytes of `count` elements. */
double call_bytes(int count, MPI_Datatype type);
#endif
