/* 1_ranks.c: several processes, one program, in plain MPI, without this course's library.
 *
 * mpirun starts P copies of the program. Each is a rank with its own memory: ranks exchange
 * messages. First a token goes around a ring; then comes the all-reduce, the heart of data
 * parallelism.
 *
 *     make lab2 ONLY=1_ranks NP=4     is     mpirun -n 4 build/student/lab2_ddp/1_ranks
 *
 * Three mistakes to watch: --hang, --mismatch, --race. 1_ranks_nccl.c does the all-reduce between
 * GPUs.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 3, TOKEN = 7 }; /* TOKEN: a tag, the label of a kind of message */

/* Each rank adds its rank to the token and passes it on; the last one sends it home to rank 0.
 *
 * MPI_Send may wait until the receiver calls MPI_Recv. If every rank sent first, each could wait
 * for the next one, all around the ring: a deadlock. (Short messages are buffered and get through,
 * so this bug shows only when they grow.) Here rank 0 sends first and all others receive first,
 * because each must add to what it received before it sends.
 * In NCCL: ncclSend, ncclRecv. */
static void ring(int rank, int size)
{
    int token = 0, next = (rank + 1) % size, previous = (rank + size - 1) % size;
    if (rank == 0) /* address, count, type; to or from which rank; tag, communicator */
        MPI_Send(&token, 1, MPI_INT, next, TOKEN, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, previous, TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    token += rank;
    if (rank > 0)
        MPI_Send(&token, 1, MPI_INT, next, TOKEN, MPI_COMM_WORLD);
    else
        printf("ring: the token comes home with %d, expected %d\n", token, size * (size - 1) / 2);
}

/* On every rank v becomes the sum over the ranks, element by element. With the gradient in v, and a
 * division by P, this is data parallelism. A collective must be called by all ranks of the
 * communicator, in the same order, with the same count and type. In NCCL: ncclAllReduce. */
static void all_reduce(int rank, int size, int count)
{
    float v[COUNT];
    int sum = size * (size + 1) / 2, length;
    for (int i = 0; i < COUNT; i++)
        v[i] = (float)((rank + 1) * (i + 1));
    /* Input (in place: it is in v), output, count, type, operation, communicator. */
    int error = MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    if (error != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING];
        MPI_Error_string(error, text, &length);
        fprintf(stderr, "error: rank %d: MPI_Allreduce: %s\n", rank, text);
        MPI_Abort(MPI_COMM_WORLD, 1); /* ends all ranks */
    }
    if (rank == 0)
        printf("all-reduce: %g %g %g, expected %d %d %d\n", v[0], v[1], v[2], sum, 2 * sum,
               3 * sum);
}

/* A mistake: every rank writes its lines to the same file, as a trainer would write a checkpoint in
 * which rank 0 alone should have a say. Rank 0 then counts whose lines are in it. */
static void race(int rank, int size)
{
    enum { LINES = 1000, MOST = 1024 };
    const char *path = "1_ranks_race.txt";
    int lines[MOST] = {0}, from, number, torn = 0;
    char line[32 + 3 * MOST];
    FILE *file = fopen(path, "w");
    for (int i = 0; i < LINES; i++) {
        if (i % 100 == 0)
            MPI_Barrier(MPI_COMM_WORLD); /* they write at the same time */
        if (!file)
            continue;
        fprintf(file, "rank %d line %*d\n", rank, 4 + 3 * rank, i); /* of different lengths */
        fflush(file);
    }
    if (file)
        fclose(file);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0 || !(file = fopen(path, "r")))
        return;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "rank %d line %d", &from, &number) == 2 && from >= 0 && from < MOST)
            lines[from]++;
        else
            torn++;
    fclose(file);
    remove(path);
    for (int r = 0; r < size && r < MOST; r++)
        printf("race: the file has %d of the %d lines of rank %d\n", lines[r], LINES, r);
    printf("race: %d lines belong to no rank\n", torn);
}

/* For --help, and for a word that is no option. Returns the exit status. */
static int usage(int rank, const char *word)
{
    int help = !strcmp(word, "--help") || !strcmp(word, "-h");
    if (rank == 0 && !help)
        fprintf(stderr, "error: 1_ranks: %s: no such option; see --help\n", word);
    else if (rank == 0)
        puts("1_ranks: messages between ranks, in plain MPI.\n\nOptions:\n"
             "  --hang      rank 0 skips the all-reduce that the others wait in\n"
             "  --mismatch  rank 0 all-reduces 2 elements, the others 3\n"
             "  --race      all ranks write to one file");
    MPI_Finalize();
    return help ? 0 : 2;
}

int main(int argc, char **argv)
{
    int rank, size, hang = 0, mismatch = 0, races = 0;
    MPI_Init(&argc, &argv); /* before all other MPI calls. In NCCL: ncclCommInitRank */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* which rank this is: 0 … size-1 */
    MPI_Comm_size(MPI_COMM_WORLD, &size); /* the world size, P */
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* by default, errors abort */
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--hang"))
            hang = 1;
        else if (!strcmp(argv[i], "--mismatch"))
            mismatch = 1;
        else if (!strcmp(argv[i], "--race"))
            races = 1;
        else
            return usage(rank, argv[i]);
    printf("rank %d of %d\n", rank, size);
    if (size > 1)
        ring(rank, size);
    if (rank == 0 && hang)
        puts("--hang: rank 0 skips the all-reduce. With two ranks or more it now waits for the\n"
             "others in MPI_Barrier, and they for it in MPI_Allreduce.");
    if (races)
        race(rank, size);
    if (rank == 0 && mismatch)
        puts("--mismatch: rank 0 all-reduces 2 elements, the others 3.");
    fflush(stdout);
    if (rank > 0 || !hang)
        all_reduce(rank, size, rank == 0 && mismatch ? COUNT - 1 : COUNT);
    MPI_Barrier(MPI_COMM_WORLD); /* returns once all ranks have called it */
    MPI_Finalize();              /* the last MPI call. In NCCL: ncclCommDestroy */
    return 0;
}
