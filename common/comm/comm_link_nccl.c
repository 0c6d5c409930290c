/* comm_link_nccl.c: whether NCCL can serve these ranks; its start, its watch, its end. See
 * comm_nccl.h. */
#include "comm_mpi.h"
#include "comm_nccl.h"
#include "comm_open.h"
#include "comm_place.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const bool comm_nccl_built = true;

/* NCCL's longer account of the last error, where this version gives one. */
static const char *nccl_account(ncclComm_t comm)
{
#if NCCL_VERSION_CODE >= 21300
    const char *text = ncclGetLastError(comm);
    return text ? text : "";
#else
    return comm ? "" : "";
#endif
}

static bool nccl_failed(ncclResult_t code)
{
#if NCCL_VERSION_CODE >= 21400
    if (code == ncclInProgress)
        return false;
#endif
    return code != ncclSuccess;
}

void nccl_check(ncclResult_t code, const char *file, int line, const char *call)
{
    if (code != ncclSuccess)
        die(EXIT_USAGE,
            "%s:%d: %s: %s (%s): NCCL_DEBUG=WARN says more, --comm mpi goes without NCCL", file,
            line, call, ncclGetErrorString(code), nccl_account(NULL));
}

const char *comm_nccl_missing(void)
{
    int devices = 0;
    return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0 ? NULL
                                                                      : "no GPU that CUDA can use";
}

/* ---- what the watch calls, on the thread that asks ---- */

/* A GPU of its own for this thread, too; and its looks must not break a graph that is being
 * recorded. */
static void watch_begins(void *context)
{
    NcclComm *c = context;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CUDA_CHECK(cudaSetDevice(c->device));
    CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
}

/* Another error than "not ready" is for the thread that waits for the stream: it gets it, too. */
static bool stream_idle(void *context)
{
    return cudaStreamQuery(((NcclComm *)context)->stream) != cudaErrorNotReady;
}

static const char *nccl_failure(void *context)
{
    NcclComm *c = context;
    ncclComm_t comm = c->nccl;
    ncclResult_t code = ncclSuccess;
    if (!comm)
        return NULL;
    ncclResult_t asked = ncclCommGetAsyncError(comm, &code);
    if (!nccl_failed(code))
        code = asked;
    if (!nccl_failed(code))
        return NULL;
    snprintf(c->words, sizeof c->words, "%s (%s)", ncclGetErrorString(code), nccl_account(comm));
    for (char *end; (end = strchr(c->words, '\n'));) /* one line */
        *end = ' ';
    return c->words;
}

static const WatchCalls watched = {watch_begins, stream_idle, nccl_failure};

/* ---- may it, and can it? ---- */

/* Is this memory of a GPU that CUDA can use here? *device: which one. */
static bool on_gpu(const void *address, int *device)
{
    struct cudaPointerAttributes where;
    if (!address)
        return false;
    if (cudaPointerGetAttributes(&where, address) != cudaSuccess) {
        cudaGetLastError(); /* not to be found by somebody else's check */
        return false;
    }
    *device = where.device;
    return where.type == cudaMemoryTypeDevice || where.type == cudaMemoryTypeManaged;
}

/* Of this start of this system: its number; "" where it gives none. */
static const char *boot_id(char *text, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    text[file ? fread(text, 1, size - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Where this rank's numbers lie: on GPU c->device, or in host memory. Machines are told apart as
 * NCCL does it. */
static Place place_of(const NcclComm *c, bool gpu)
{
    Place p = {.gpu = ""};
    int length;
    const char *told = getenv("NCCL_HOSTID");
    char name[MPI_MAX_PROCESSOR_NAME], boot[40];
    MPI_CHECK(MPI_Get_processor_name, name, &length);
    snprintf(p.host, sizeof p.host, "%s", name);
    if (told && *told)
        snprintf(p.machine, sizeof p.machine, "%s", told);
    else
        snprintf(p.machine, sizeof p.machine, "%s %s", p.host, boot_id(boot, sizeof boot));
    if (gpu)
        CUDA_CHECK(cudaDeviceGetPCIBusId(p.gpu, sizeof p.gpu, c->device));
    return p;
}

/* All ranks: their places judged by rank 0, who says where NCCL was wished for and cannot serve. */
static Places judge(NcclComm *c, bool gpu)
{
    Place mine = place_of(c, gpu), *all = alloc(c->base.size, sizeof mine);
    Places verdict = PLACES_ON_HOST;
    c->mpi->op->gather_host(c->mpi, all, &mine, sizeof mine, 0);
    if (c->base.rank == 0) {
        char *why;
        verdict = places_judge(all, c->base.size, &why);
        if (why && !c->whole->told && (c->asked || verdict != PLACES_ON_HOST))
            fprintf(stderr, "note: without NCCL: %s: tensors go over MPI, by way of host memory\n",
                    why);
        free(why);
    }
    c->mpi->op->broadcast_host(c->mpi, &verdict, sizeof verdict, 0);
    c->whole->told = c->whole->told || verdict == PLACES_MIXED;
    free(all);
    return verdict;
}

static void bring_up(NcclComm *c)
{
    ncclUniqueId id;
    ncclComm_t nccl = NULL;
    int least, greatest;
    CUDA_CHECK(cudaSetDevice(c->device));
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    /* others may wait for us */
    CUDA_CHECK(cudaStreamCreateWithPriority(&c->stream, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaEventCreateWithFlags(&c->ready, cudaEventDisableTiming));
    c->watch = watch_new(&watched, c, "NCCL", c->whole->base.rank);
    watch_call(c->watch, "start", c->base.size, "ranks", c->start_seconds);
    if (c->base.rank == 0)
        NCCL_CHECK(ncclGetUniqueId(&id));
    c->mpi->op->broadcast_host(c->mpi, &id, sizeof id, 0);
    NCCL_CHECK(ncclCommInitRank(&nccl, c->base.size, id, c->base.rank));
    c->nccl = nccl;
    watch_queued(c->watch, false);
}

bool nccl_carries(NcclComm *c, Tensor t, Stream *s)
{
    const BackendOps *op = s->be->op;
    const void *address = op->buffer_device ? op->buffer_device(t.buf) : NULL;
    if (c->carrier == OVER_NCCL)
        return address;
    if (c->carrier == OVER_MPI)
        return false;
    bool gpu = on_gpu(address, &c->device);
    if (c->carrier == ON_HOST && !gpu)
        return false;
    Places verdict = judge(c, gpu);
    c->carrier = verdict == PLACES_APART   ? OVER_NCCL
               : verdict == PLACES_ON_HOST ? ON_HOST
                                           : OVER_MPI;
    if (c->carrier == OVER_NCCL)
        bring_up(c);
    return c->carrier == OVER_NCCL;
}

/* All work has been waited for in some stream, not by the host. */
void nccl_leave(NcclComm *c)
{
    if (c->carrier != OVER_NCCL)
        return;
    CUDA_CHECK(cudaSetDevice(c->device));
    CUDA_CHECK(cudaStreamSynchronize(c->stream));
    c->mpi->op->barrier(c->mpi); /* without a limit: a person may be looking at rank 0's window */
    ncclComm_t nccl = c->nccl;
    c->nccl = NULL; /* the watch no longer looks at it */
    watch_call(c->watch, "end", c->base.size, "ranks", c->seconds);
    NCCL_CHECK(ncclCommDestroy(nccl)); /* it waits for the other ranks of this machine */
    watch_free(c->watch);
    CUDA_CHECK(cudaEventDestroy(c->ready));
    CUDA_CHECK(cudaStreamDestroy(c->stream));
}
