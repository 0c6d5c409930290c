/* comm_link_nccl.c: can these ranks use NCCL? Its start, its watchdog, its end. */
#include "comm_link_nccl.h"
#include "backend/cuda/gpu_library.h"
#include "comm_open.h"
#include "comm_place.h"
#include "mpi_check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const bool comm_nccl_built = true;

static bool nccl_failed(ncclResult_t code)
{
#if NCCL_VERSION_CODE >= 21400
    if (code == ncclInProgress)
        return false;
#endif
    return code != ncclSuccess;
}

const char *comm_nccl_library(void) { return gpu_library_missing(NCCL_LIBRARY); }

const char *comm_nccl_missing(void)
{
    int devices = 0;
    const char *missing = comm_nccl_library();
    if (missing)
        return missing;
    if (cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0)
        return NULL;
    cudaGetLastError(); /* clear the error for later checks */
    return "no GPU that CUDA can use";
}

/* ---- the watchdog's callbacks, on its asking thread ---- */

/* The current GPU is per thread; and this thread's queries must not break a graph that is being
 * recorded. */
static void watch_begins(void *context)
{
    NcclComm *c = context;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    CUDA_CHECK(cudaSetDevice(c->device));
    CUDA_CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
}

/* An error of the GPU's stays. A thread that waits for the stream says more about it, and has some
 * seconds to do so; none may wait there. */
enum { LOOKS_AT_ERROR = 20 };
static bool all_done(void *context)
{
    NcclComm *c = context;
    c->answer = c->last ? cudaEventQuery(c->last) : cudaSuccess;
    bool failed = c->answer != cudaSuccess && c->answer != cudaErrorNotReady;
    c->failed_looks = failed ? c->failed_looks + 1 : 0;
    return c->answer == cudaSuccess;
}

static const char *nccl_failure(void *context)
{
    NcclComm *c = context;
    ncclComm_t comm = c->nccl;
    ncclResult_t code = ncclSuccess;
    if (c->failed_looks >= LOOKS_AT_ERROR) {
        snprintf(c->words, sizeof c->words, "the GPU failed: %s", cudaGetErrorString(c->answer));
        return c->words;
    }
    if (!comm)
        return NULL;
    ncclResult_t asked = ncclCommGetAsyncError(comm, &code);
    if (!nccl_failed(code))
        code = asked;
    if (!nccl_failed(code))
        return NULL;
    snprintf(c->words, sizeof c->words,
             "%s (%s): is another rank, its machine or the network gone?", ncclGetErrorString(code),
             nccl_account(comm));
    for (char *end; (end = strchr(c->words, '\n'));) /* one line */
        *end = ' ';
    return c->words;
}

static const WatchCalls watched = {watch_begins, all_done, nccl_failure};

/* ---- can NCCL carry the tensors? ---- */

/* Is this memory on a GPU that CUDA can use here? *device: its index. */
static bool on_gpu(const void *address, int *device)
{
    struct cudaPointerAttributes where;
    if (!address)
        return false;
    if (cudaPointerGetAttributes(&where, address) != cudaSuccess) {
        cudaGetLastError(); /* clear the error for later checks */
        return false;
    }
    *device = where.device;
    return where.type == cudaMemoryTypeDevice || where.type == cudaMemoryTypeManaged;
}

/* The id of this boot of the machine; "" where unknown. */
static const char *boot_id(char *text, size_t size)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");
    text[file ? fread(text, 1, size - 1, file) : 0] = 0;
    if (file)
        fclose(file);
    return text;
}

/* The memory of this rank's tensors: GPU c->device, or the host. Machines are told apart as in
 * NCCL. */
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

/* Collective: rank 0 judges, and prints a note where NCCL was expected and cannot be used. */
static Places judge(NcclComm *c, bool gpu)
{
    Place mine = place_of(c, gpu), *all = alloc(c->base.size, sizeof mine);
    Places verdict = PLACES_ON_HOST;
    c->mpi->op->gather_host(c->mpi, all, &mine, sizeof mine, 0);
    if (c->base.rank == 0) {
        char *why;
        verdict = places_judge(all, c->base.size, &why);
        if (why && !c->whole->told && (c->asked || verdict != PLACES_ON_HOST))
            fprintf(stderr,
                    "note: without NCCL: %s: tensors go over MPI, staged through host memory\n",
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
    /* other ranks may be waiting */
    CUDA_CHECK(cudaStreamCreateWithPriority(&c->stream, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaEventCreateWithFlags(&c->ready, cudaEventDisableTiming));
    c->watch = watch_new(&watched, c, "NCCL", c->whole->base.rank);
    watch_call(c->watch, "start", c->base.size, "ranks", c->start_seconds);
    if (c->base.rank == 0)
        NCCL_CHECK(ncclGetUniqueId(&id));
    c->mpi->op->broadcast_host(c->mpi, &id, sizeof id, 0);
    NCCL_CHECK(ncclCommInitRank(&nccl, c->base.size, id, c->base.rank));
    c->nccl = nccl;
    watch_queued(c->watch);
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

/* All work has been waited for in a stream, but not by the host. */
void nccl_leave(NcclComm *c)
{
    if (c->carrier != OVER_NCCL)
        return;
    CUDA_CHECK(cudaSetDevice(c->device));
    CUDA_CHECK(cudaStreamSynchronize(c->stream));
    c->mpi->op->barrier(c->mpi); /* no time limit: rank 0's window may be open */
    ncclComm_t nccl = c->nccl;
    c->nccl = NULL; /* the watchdog ignores it now */
    watch_call(c->watch, "end", c->base.size, "ranks", c->seconds);
    NCCL_CHECK(ncclCommDestroy(nccl)); /* it waits for the other ranks of this machine */
    watch_free(c->watch);
    CUDA_CHECK(cudaEventDestroy(c->ready));
    CUDA_CHECK(cudaStreamDestroy(c->stream));
}
