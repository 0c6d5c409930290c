/* 1_ranks_nccl.c: the all-reduce of 1_ranks.c between GPUs, in plain MPI, CUDA and NCCL.
 *
 * NCCL neither starts processes nor finds them: MPI does, and broadcasts the id by which the ranks
 * of a communicator find each other. From then on NCCL moves data from GPU to GPU. A collective is
 * queued in a stream, like a kernel, and the host continues at once. One GPU per rank.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>

enum { COUNT = 3, SKIPPED = 77 };

static void check_cuda(cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "error: CUDA: %s\n", cudaGetErrorString(error));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void check_nccl(ncclResult_t result)
{
    if (result != ncclSuccess) {
        fprintf(stderr, "error: NCCL: %s\n", ncclGetErrorString(result));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Select the GPU with this rank's local rank as its index. Returns 0 if there are too few GPUs. */
static int select_gpu(int rank)
{
    MPI_Comm machine;
    int local_rank, local_size, gpus = 0, enough;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_rank);
    MPI_Comm_size(machine, &local_size);
    MPI_Comm_free(&machine);
    if (cudaGetDeviceCount(&gpus) != cudaSuccess) /* no driver: no GPU */
        gpus = 0;
    enough = gpus >= local_size;
    MPI_Allreduce(MPI_IN_PLACE, &enough, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD); /* on all machines */
    if (enough)
        check_cuda(cudaSetDevice(local_rank));
    else if (rank == 0 && gpus == 0)
        puts("skipped: no GPU");
    else if (rank == 0)
        puts("skipped: fewer GPUs than ranks on a machine; NCCL needs one per rank");
    return enough;
}

/* In MPI: MPI_Allreduce. Here the vector is copied to the GPU first, and back afterwards. */
static void all_reduce(ncclComm_t comm, int rank, int size)
{
    float host[COUNT], *v;
    int sum = size * (size + 1) / 2;
    cudaStream_t stream;
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)((rank + 1) * (i + 1));
    check_cuda(cudaStreamCreate(&stream));
    check_cuda(cudaMalloc((void **)&v, sizeof host)); /* NCCL works on GPU memory */
    check_cuda(cudaMemcpy(v, host, sizeof host, cudaMemcpyHostToDevice));
    /* Input, output (the same: in place), count, type, operation, communicator, stream. */
    check_nccl(ncclAllReduce(v, v, COUNT, ncclFloat, ncclSum, comm, stream));
    check_cuda(cudaStreamSynchronize(stream)); /* the call above only queued it: now it is done */
    check_cuda(cudaMemcpy(host, v, sizeof host, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(v));
    check_cuda(cudaStreamDestroy(stream));
    if (rank == 0)
        printf("all-reduce between %d GPU%s: %g %g %g, expected %d %d %d\n", size,
               size > 1 ? "s" : "", host[0], host[1], host[2], sum, 2 * sum, 3 * sum);
}

int main(int argc, char **argv)
{
    int rank, size, enough;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    enough = select_gpu(rank);
    if (enough) {
        ncclUniqueId id;
        ncclComm_t comm;
        if (rank == 0)
            check_nccl(ncclGetUniqueId(&id));                   /* how to reach rank 0: 128 bytes */
        MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD); /* address, count, type, root */
        check_nccl(ncclCommInitRank(&comm, size, id, rank));    /* a collective, like MPI_Init */
        all_reduce(comm, rank, size);
        check_nccl(ncclCommDestroy(comm));
    }
    MPI_Finalize();
    return enough ? 0 : SKIPPED;
}
