/* mpi_mistakes.c CASE: one classic mistake in plain MPI or comm.h, on two ranks or more, for
 * tests/e2e/watch.sh, which expects the watch (common/watch/call_board.h) to name it. A line with
 * "HERE" is what the message must name. */
#include "backend.h"
#include "check.h"
#include "comm.h"
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 1 << 20 };
static int rank, size;
static float v[LONG], w[LONG];

static void all_reduce(int count, MPI_Op op)
{
    MPI_Allreduce(MPI_IN_PLACE, v, count, MPI_FLOAT, op, MPI_COMM_WORLD);
}

static void kinds(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD); /* HERE */
    else
        MPI_Bcast(v, 4, MPI_FLOAT, 0, MPI_COMM_WORLD); /* HERE */
}

static void counts(void)
{
    all_reduce(8, MPI_SUM);
    all_reduce(rank == 1 ? 3 : 2, MPI_SUM);
}

static void types(void)
{
    MPI_Allreduce(MPI_IN_PLACE, v, 2, rank ? MPI_FLOAT : MPI_INT, MPI_SUM, /* HERE */
                  MPI_COMM_WORLD);
}

static void ops(void) { all_reduce(2, rank ? MPI_SUM : MPI_MAX); }

static void roots(void) { MPI_Bcast(v, 2, MPI_FLOAT, rank, MPI_COMM_WORLD); /* HERE */ }

/* A collective that only rank 0 calls, before the end. */
static void left(void)
{
    if (rank == 0)
        all_reduce(2, MPI_SUM);
}

/* Both send first, more than MPI buffers. */
static void sends(void)
{
    int other = rank ^ 1;
    if (rank > 1)
        return;
    MPI_Send(v, LONG, MPI_FLOAT, other, 5, MPI_COMM_WORLD); /* HERE */
    MPI_Recv(w, LONG, MPI_FLOAT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receives(void)
{
    MPI_Recv(v, 1, MPI_FLOAT, (rank + 1) % size, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE */
}

/* Rank 0 waits for a message that nobody sends, the others for rank 0. */
static void nobody(void)
{
    if (rank == 0)
        MPI_Recv(v, 1, MPI_FLOAT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void never_sent(void)
{
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(v, 1, MPI_FLOAT, 1, 8, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* HERE */
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void computes(void)
{
    volatile double x = 0;
    if (rank == 1)
        while (1)
            x = x + 1;
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 tests forever for a message that nobody sends; rank 0 waits for rank 1. */
static void polls(void)
{
    MPI_Request request;
    int done = 0;
    if (rank == 1) {
        MPI_Irecv(v, 1, MPI_FLOAT, 0, 9, MPI_COMM_WORLD, &request);
        while (!done)
            MPI_Test(&request, &done, MPI_STATUS_IGNORE); /* HERE */
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The same, with sleeps, and rank 0 waits for a message. */
static void polls_slowly(void)
{
    int found = 0;
    while (rank == 1 && !found) {
        MPI_Iprobe(0, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE); /* HERE */
        usleep(1000);
    }
    MPI_Recv(v, 1, MPI_FLOAT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All test, each for what another one would send later. */
static void all_poll(void)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int done = 0;
    MPI_Irecv(v, 1, MPI_FLOAT, (rank + 1) % size, 9, MPI_COMM_WORLD, &request[1]);
    while (!done)
        MPI_Testall(2, request, &done, MPI_STATUSES_IGNORE);
    MPI_Send(v, 1, MPI_FLOAT, (rank + size - 1) % size, 9, MPI_COMM_WORLD);
}

/* Nothing wrong: rank 1 computes for long, and tests now and then, as a task farm does. */
static void works_and_polls(void)
{
    MPI_Request request;
    int done;
    if (rank == 0)
        MPI_Recv(v, 1, MPI_FLOAT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 1)
        return;
    MPI_Irecv(v, 1, MPI_FLOAT, 1, 9, MPI_COMM_WORLD, &request);
    for (clock_t begin = clock(); clock() - begin < 7 * CLOCKS_PER_SEC;) {
        for (clock_t piece = clock(); clock() - piece < CLOCKS_PER_SEC / 1000;)
            ;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    MPI_Send(v, 1, MPI_FLOAT, 1, 9, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(v, 1, MPI_FLOAT, 0, 9, MPI_COMM_WORLD);
}

static void stops(void)
{
    if (rank == 1)
        raise(SIGSTOP);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void half(void)
{
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
    MPI_Allreduce(MPI_IN_PLACE, v, rank == 2 ? 3 : 2, MPI_FLOAT, MPI_SUM, part); /* HERE */
    MPI_Comm_free(&part);
}

static void blocking(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    else {
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Calls that a link does not support: wrong only on one. */
static void puts_data(void)
{
    MPI_Win window;
    MPI_Win_create(w, sizeof w, sizeof *w, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(v, 1, MPI_FLOAT, 0, rank, 1, MPI_FLOAT, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static void persists(void)
{
    MPI_Request request;
    MPI_Recv_init(v, 1, MPI_FLOAT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Send(w, 1, MPI_FLOAT, (rank + size - 1) % size, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

static void asks_neighbors(void)
{
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring);
    MPI_Neighbor_alltoall(v, 1, MPI_FLOAT, w, 1, MPI_FLOAT, ring);
    MPI_Comm_free(&ring);
}

static void between(void)
{
    MPI_Comm half, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
    MPI_Allreduce(v, w, 1, MPI_FLOAT, MPI_SUM, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&half);
}

static void writes_a_file(void)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
}

/* Nothing wrong: many ranks, parts, messages. */
static void right(void)
{
    MPI_Comm part, copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    MPI_Comm_dup(part, &copy);
    for (int i = 0; i < 2000; i++) {
        all_reduce(i % 7, MPI_SUM);
        MPI_Allreduce(MPI_IN_PLACE, v, 2, MPI_FLOAT, MPI_SUM, rank % 2 ? part : copy);
        MPI_Bcast(v, 2, MPI_FLOAT, i % size, MPI_COMM_WORLD);
        MPI_Sendrecv(v, 3, MPI_FLOAT, (rank + 1) % size, 1, w, 3, MPI_FLOAT,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
    MPI_Comm_free(&part);
}

/* Wrong on the virtual clock alone: from any rank, in every way. */
static void from_any(const char *how)
{
    MPI_Request request;
    float w = 0;
    if (rank == 0 && !strcmp(how, "MPI_Recv"))
        MPI_Recv(v, 1, MPI_FLOAT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 0 && !strcmp(how, "MPI_Probe"))
        MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (rank == 0 && !strcmp(how, "MPI_Irecv")) {
        MPI_Irecv(v, 1, MPI_FLOAT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (!strcmp(how, "MPI_Sendrecv"))
        MPI_Sendrecv(&w, 1, MPI_FLOAT, 1 - rank, 2, v, 1, MPI_FLOAT, MPI_ANY_SOURCE, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 && strcmp(how, "MPI_Sendrecv"))
        MPI_Send(&w, 1, MPI_FLOAT, 0, 2, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Nothing wrong: slow ranks. */
static void slow(void)
{
    if (rank == 0)
        sleep(7); /* longer than a deadlock takes to be seen */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        sleep(7);
        MPI_Send(v, 1, MPI_FLOAT, 0, 2, MPI_COMM_WORLD);
    } else if (rank == 0)
        MPI_Recv(v, 1, MPI_FLOAT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Nothing wrong: rank 1 waits for rank 0, and once that has come it gets no processor for ten
 * seconds: it shares one with twenty others, of which each has 300 times its part. */
static void starved(void)
{
    int pid = getpid(), pids[2];
    float x = 1, sum;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (rank == 1)
        sched_setaffinity(0, sizeof one, &one);
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
    if (rank == 0) {
        sleep(2);
        sched_getaffinity(pids[1], sizeof one, &one);
        for (int i = 0; i < 20; i++)
            if (fork() == 0) {
                prctl(PR_SET_PDEATHSIG, SIGKILL);
                sched_setaffinity(0, sizeof one, &one);
                for (time_t end = time(NULL) + 10; time(NULL) < end;)
                    ;
                _exit(0);
            }
        sched_setscheduler(pids[1], SCHED_IDLE, &(struct sched_param){0});
    }
    MPI_Allreduce(&x, &sum, 1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- the same by comm.h ---- */

static void trainer(bool stops_early)
{
    Comm *c = comm_open("mpi");
    double x = 1;
    rank = c->rank;
    for (int i = 0; i < 3; i++)
        comm_all_reduce_host(c, &x, 1, COMM_SUM); /* HERE */
    if (!stops_early && rank == 0)
        comm_barrier(c); /* HERE */
    else if (!stops_early)
        comm_broadcast_host(c, &x, sizeof x, 0); /* HERE */
    else if (rank == 0)
        comm_all_reduce_host(c, &x, 1, COMM_SUM);
    comm_close(c); /* HERE */
}

#define CASE(function) #function, function
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {{CASE(kinds)},        {CASE(counts)},        {CASE(types)},
             {CASE(ops)},          {CASE(roots)},         {CASE(left)},
             {CASE(sends)},        {CASE(receives)},      {CASE(nobody)},
             {CASE(never_sent)},   {CASE(computes)},      {CASE(stops)},
             {CASE(half)},         {CASE(blocking)},      {CASE(polls)},
             {CASE(polls_slowly)}, {CASE(all_poll)},      {CASE(works_and_polls)},
             {CASE(puts_data)},    {CASE(persists)},      {CASE(asks_neighbors)},
             {CASE(between)},      {CASE(writes_a_file)}, {CASE(right)},
             {CASE(slow)},         {CASE(starved)}};

int main(int argc, char **argv)
{
    REQUIRE(argc == 2, "use: mpi_mistakes CASE");
    if (!strncmp(argv[1], "comm_", 5)) {
        trainer(!strcmp(argv[1], "comm_early"));
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strncmp(argv[1], "MPI_", 4))
        from_any(argv[1]);
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++)
        if (!strcmp(argv[1], cases[i].name))
            cases[i].run();
    MPI_Finalize();
    if (rank == 0)
        puts("ended");
    return 0;
}
