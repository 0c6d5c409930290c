/* 1_ranks.c: several processes, one program, in plain MPI: no line of this course's library.
 *
 * mpirun starts P copies of the program. Each is a rank with memory of its own: no variable is
 * shared, all that passes between ranks is messages. Three stations: who am I; a token that goes
 * around a ring; and the collective that data-parallel training lives on, the all-reduce.
 *
 *     make lab2 ONLY=1_ranks NP=4     is     mpirun -n 4 build/student/lab2_ddp/1_ranks
 *
 * Two mistakes to look at: --hang and --mismatch. 1_ranks_nccl.c does the all-reduce between GPUs.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 3, TOKEN = 7 }; /* TOKEN: a tag, the label of a kind of message */

/* Rank 0 prints for all: lines that the ranks print themselves may come in any order. */
static void who_am_i(int rank, int size)
{
    char host[MPI_MAX_PROCESSOR_NAME], mine[MPI_MAX_PROCESSOR_NAME + 64], *all = NULL;
    int length;
    MPI_Get_processor_name(host, &length);
    snprintf(mine, sizeof mine, "rank %d of %d on %s", rank, size, host);
    if (rank == 0)
        all = malloc((size_t)size * sizeof mine);
    /* What this rank gives: address, count, type. What the root gets from each rank: likewise. Then
     * the root, and the communicator: the ranks that take part. */
    MPI_Gather(mine, sizeof mine, MPI_CHAR, all, sizeof mine, MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++)
        puts(all + (size_t)r * sizeof mine);
    free(all);
}

/* A token goes from rank to rank, each adds its own number to it, and the last one sends it home.
 *
 * MPI_Send may wait until the receiver calls MPI_Recv. If every rank sent first, each could wait
 * for the next one, all around the ring: a deadlock. (Short messages are buffered and get through,
 * so this mistake shows only when they grow.) Here rank 0 sends first and all others receive first:
 * a rank that waits, waits for one that is not waiting for it. NCCL's twins: ncclSend, ncclRecv. */
static void ring(int rank, int size)
{
    int token = 0;
    if (rank > 0) /* where to: address, count, type; from whom, tag, communicator, status */
        MPI_Recv(&token, 1, MPI_INT, rank - 1, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    if (size > 1) /* what: address, count, type; to whom, tag, communicator */
        MPI_Send(&token, 1, MPI_INT, (rank + 1) % size, TOKEN, MPI_COMM_WORLD);
    if (size > 1 && rank == 0)
        MPI_Recv(&token, 1, MPI_INT, size - 1, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("ring: the token comes home with %d, expected %d\n", token, size * (size - 1) / 2);
}

/* Every rank ends with the sum over the ranks, element by element. Put the gradient into v, divide
 * by P, and this is data parallelism. A collective must be called by all ranks of the communicator,
 * in the same order, with the same count and type. NCCL's twin: ncclAllReduce. */
static void all_reduce(int rank, int size, int count)
{
    float v[COUNT];
    int sum = size * (size + 1) / 2, length;
    for (int i = 0; i < COUNT; i++)
        v[i] = (float)((rank + 1) * (i + 1));
    /* What this rank gives (IN_PLACE: what is in v), where the sum goes, count, type, operation. */
    int error = MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (error != MPI_SUCCESS) {
        char words[MPI_MAX_ERROR_STRING];
        MPI_Error_string(error, words, &length);
        fprintf(stderr, "error: rank %d: MPI_Allreduce: %s\n", rank, words);
        MPI_Abort(MPI_COMM_WORLD, 1); /* ends all ranks, with this status */
    }
    if (rank == 0)
        printf("all-reduce: %g %g %g, expected %d %d %d\n", v[0], v[1], v[2], sum, 2 * sum,
               3 * sum);
}

/* --hang and --mismatch. */
static void all_reduce_wrongly(int rank, int size, int hang)
{
    if (rank == 0 && hang)
        puts("--hang: rank 0 leaves out the all-reduce. The others wait for it in MPI_Allreduce,\n"
             "and it waits for them in MPI_Barrier: nothing more will happen. Ctrl-C ends it.");
    if (rank == 0 && !hang)
        puts("--mismatch: rank 0 all-reduces 2 elements, the others 3. Open MPI notices it here,\n"
             "MPI_ERR_TRUNCATE; in larger arrays it may not: a wrong sum, or a hang.");
    fflush(stdout);
    if (rank > 0 || !hang)
        all_reduce(rank, size, rank == 0 ? COUNT - 1 : COUNT);
}

/* 0, or 2 where the options are wrong. Of several options the last one counts. */
static int run(int rank, int size, int argc, char **argv)
{
    const char *option = "";
    for (int i = 1; i < argc; i++) /* make lab2 passes on DEVICE=, DATA=, SEED=: for the trainer */
        if (strncmp(argv[i], "--device=", 9) && strncmp(argv[i], "--data=", 7) &&
            strncmp(argv[i], "--seed=", 7))
            option = argv[i];
    int hang = !strcmp(option, "--hang"), wrong = hang || !strcmp(option, "--mismatch");
    if (!wrong && *option) {
        int help = !strcmp(option, "--help");
        if (rank == 0)
            fprintf(help ? stdout : stderr, "%s%susage: 1_ranks [--hang | --mismatch]\n",
                    help ? "" : option, help ? "" : ": unknown option; ");
        return help ? 0 : 2;
    }
    if (wrong && size == 1) {
        fprintf(stderr, "%s: takes two ranks or more, such as NP=4\n", option);
        return 2;
    }
    who_am_i(rank, size);
    ring(rank, size);
    if (wrong)
        all_reduce_wrongly(rank, size, hang);
    else
        all_reduce(rank, size, COUNT);
    MPI_Barrier(MPI_COMM_WORLD); /* returns when all ranks have called it: they leave together */
    if (size == 1)
        puts("a single rank has nobody to talk to: there is more to see with NP=4");
    return 0;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv); /* before all other MPI calls. NCCL's twin: ncclCommInitRank */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* which rank this is: 0 … size-1 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* the world size, P */
    /* By default a failing call ends all ranks by itself; now calls return an error code. */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int status = run(rank, size, argc, argv);
    MPI_Finalize(); /* the last MPI call. NCCL's twin: ncclCommDestroy */
    return status;
}
