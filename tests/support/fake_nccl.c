/* fake_nccl.c: a fake NCCL, over MPI. See fake_nccl.h. By MPI's PMPI_ names: for the watch and
 * the emulated network what NCCL does is no call of MPI's.
 */
#include "fake_nccl.h"
#include "check.h"
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int fake_calls;
bool fake_eager;

struct ncclComm {
    MPI_Comm ranks;
    int rank, size;
    atomic_bool broken;
};

typedef enum { ALL_REDUCE, BROADCAST, REDUCE_SCATTER, ALL_GATHER } Kind;

typedef struct Operation {
    Kind kind;
    ncclComm_t c;
    const void *in;
    void *out;
    size_t count;
    ncclDataType_t type;
    int op, root;
} Operation;

const char *gpu_library_missing(const char *file) { return NULL; }

/* ---- communicators: the ranks with one id find each other over MPI ---- */

typedef struct Id {
    int world_rank, tag;
} Id; /* of rank 0 */

ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
    static int made;
    Id mine = {.tag = 1000 + made++};
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine.world_rank);
    memset(id, 0, sizeof *id);
    memcpy(id, &mine, sizeof mine);
    return ncclSuccess;
}

static void meet(int *members, int size, int rank, Id id)
{
    int mine[2] = {rank};
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine[1]);
    if (rank > 0) {
        PMPI_Send(mine, 2, MPI_INT, id.world_rank, id.tag, MPI_COMM_WORLD);
        PMPI_Recv(members, size, MPI_INT, id.world_rank, id.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    ASSERT(mine[1] == id.world_rank);
    members[0] = mine[1];
    for (int i = 1, other[2]; i < size; i++) {
        PMPI_Recv(other, 2, MPI_INT, MPI_ANY_SOURCE, id.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        members[other[0]] = other[1];
    }
    for (int i = 1; i < size; i++)
        PMPI_Send(members, size, MPI_INT, members[i], id.tag, MPI_COMM_WORLD);
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int size, ncclUniqueId unique, int rank)
{
    Id id;
    int *members = calloc(size, sizeof *members);
    MPI_Group world, group;
    ncclComm_t c = calloc(1, sizeof *c);
    ASSERT(!strcmp(getenv("NCCL_COMM_BLOCKING"), "1"));
    if (fake_fault == FAULT_START && rank == size - 1)
        for (;;)
            pause();
    memcpy(&id, &unique, sizeof id);
    c->rank = rank;
    c->size = size;
    meet(members, size, rank, id);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_incl(world, size, members, &group);
    PMPI_Comm_create_group(MPI_COMM_WORLD, group, id.tag, &c->ranks);
    PMPI_Group_free(&world);
    PMPI_Group_free(&group);
    free(members);
    fake_alive++;
    *comm = c;
    return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t c)
{
    while (fake_fault == FAULT_END)
        pause();
    fake_alive--;
    PMPI_Comm_free(&c->ranks);
    free(c);
    return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t c, ncclResult_t *code)
{
    *code = c->broken ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t code)
{
    return code == ncclRemoteError     ? "remote process exited or there was a network error"
         : code == ncclInvalidArgument ? "invalid argument"
                                       : "some error";
}

const char *ncclGetLastError(ncclComm_t c)
{
    return c ? "connection closed\nby peer" : "no communicator";
}

/* ---- collectives ---- */

static MPI_Datatype mpi_type(ncclDataType_t t)
{
    ASSERT(t == ncclFloat32 || t == ncclFloat64 || t == ncclInt32 || t == ncclChar);
    return t == ncclFloat32 ? MPI_FLOAT
         : t == ncclFloat64 ? MPI_DOUBLE
         : t == ncclInt32   ? MPI_INT32_T
                            : MPI_CHAR;
}

static size_t size_of(ncclDataType_t t) { return t == ncclFloat64 ? 8 : t == ncclChar ? 1 : 4; }

/* Every rank must call the same operation, with the same count and type. */
static void check_same(const Operation *x)
{
    enum { FACTS = 5 };
    long mine[2 * FACTS] = {x->kind, (long)x->count, x->type, x->op, x->root}, all[2 * FACTS];
    for (int i = 0; i < FACTS; i++)
        mine[FACTS + i] = -mine[i];
    PMPI_Allreduce(mine, all, 2 * FACTS, MPI_LONG, MPI_MAX, x->c->ranks);
    for (int i = 0; i < FACTS; i++)
        ASSERT(all[i] == -all[FACTS + i]);
}

static void run(void *p)
{
    Operation *x = p;
    MPI_Datatype type = mpi_type(x->type);
    MPI_Op op = x->op == ncclSum ? MPI_SUM : x->op == ncclMax ? MPI_MAX : MPI_MIN;
    int n = (int)x->count;
    bool in_place = x->in == x->out;
    if (x->kind == ALL_REDUCE && fake_fault == FAULT_LINK)
        for (x->c->broken = true;;)
            pause();
    check_same(x);
    if (x->kind == ALL_REDUCE)
        PMPI_Allreduce(in_place ? MPI_IN_PLACE : x->in, x->out, n, type, op, x->c->ranks);
    else if (x->kind == REDUCE_SCATTER)
        PMPI_Reduce_scatter_block(x->in, x->out, n, type, op, x->c->ranks);
    else if (x->kind == ALL_GATHER)
        PMPI_Allgather(x->in, n, type, x->out, n, type, x->c->ranks);
    else {
        if (x->c->rank == x->root && !in_place)
            memcpy(x->out, x->in, n * size_of(x->type));
        PMPI_Bcast(x->out, n, type, x->root, x->c->ranks);
    }
}

static ncclResult_t queue(Operation x, size_t in_count, size_t out_count, cudaStream_t s)
{
    Operation *kept = malloc(sizeof *kept);
    *kept = x;
    fake_calls++;
    fake_check_device(x.in, in_count * size_of(x.type));
    fake_check_device(x.out, out_count * size_of(x.type));
    /* The real NCCL's maximum of NaN and x is x, which is not what comm.h promises. */
    ASSERT(x.op == ncclSum || x.type == ncclInt32);
    fake_enqueue(s, run, kept);
    if (fake_eager)
        cudaStreamSynchronize(s);
    return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void *in, void *out, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
    if (fake_fault == FAULT_CALL)
        return ncclInvalidArgument;
    return queue((Operation){ALL_REDUCE, c, in, out, count, type, op, 0}, count, count, s);
}

ncclResult_t ncclBroadcast(const void *in, void *out, size_t count, ncclDataType_t type, int root,
                           ncclComm_t c, cudaStream_t s)
{
    return queue((Operation){BROADCAST, c, in, out, count, type, ncclSum, root}, count, count, s);
}

ncclResult_t ncclReduceScatter(const void *in, void *out, size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t c, cudaStream_t s)
{
    return queue((Operation){REDUCE_SCATTER, c, in, out, count, type, op, 0}, count * c->size,
                 count, s);
}

ncclResult_t ncclAllGather(const void *in, void *out, size_t count, ncclDataType_t type,
                           ncclComm_t c, cudaStream_t s)
{
    return queue((Operation){ALL_GATHER, c, in, out, count, type, ncclSum, 0}, count,
                 count * c->size, s);
}
