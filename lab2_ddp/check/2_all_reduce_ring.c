/* 2_all_reduce_ring.c: the check of all_reduce_ring: the sum, the same bits on all ranks, no write
 * out of bounds, and how much each rank sends.
 *
 *     2_all_reduce_ring               judge it on 1 to 4 ranks
 *     2_all_reduce_ring --rank FILE   one rank of that; the first form starts it under mpirun
 *
 * To count what is sent, the five functions below replace MPI's of the same names, which can still
 * be called as PMPI_…: MPI's profiling interface.
 */
#include "check.h"
#include "check_run.h"
#include "comm.h"
#include "exercise.h"
#include "lab2.h"
#include "rng.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long sent; /* bytes sent by this rank since the last reset to 0 */

static void count_sent(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    sent += (long)count * size;
}

int MPI_Send(const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count_sent(n, type);
    return PMPI_Send(v, n, type, to, tag, comm);
}

int MPI_Ssend(const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    count_sent(n, type);
    return PMPI_Ssend(v, n, type, to, tag, comm);
}

int MPI_Isend(const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    count_sent(n, type);
    return PMPI_Isend(v, n, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void *v, int n, MPI_Datatype type, int to, int tag, void *w, int m,
                 MPI_Datatype got, int from, int got_tag, MPI_Comm comm, MPI_Status *status)
{
    count_sent(n, type);
    return PMPI_Sendrecv(v, n, type, to, tag, w, m, got, from, got_tag, comm, status);
}

int MPI_Sendrecv_replace(void *v, int n, MPI_Datatype type, int to, int tag, int from, int got_tag,
                         MPI_Comm comm, MPI_Status *status)
{
    count_sent(n, type);
    return PMPI_Sendrecv_replace(v, n, type, to, tag, from, got_tag, comm, status);
}

/* Element i of rank r's vector. */
static float element(int r, int i)
{
    Rng draw = rng_at(5, RNG_TEST, (uint32_t)r, (uint64_t)i);
    return rng_uniform(&draw) - 0.5f;
}

/* All-reduce `count` elements. Returns what is wrong on this rank, or NULL. */
static char *ring_case(int count, int rank, int P)
{
    float *guarded = alloc((unsigned long)count + 2, sizeof *guarded), *v = guarded + 1, *first;
    char *fault = NULL;
    guarded[0] = guarded[count + 1] = 7; /* outside of v */
    for (int i = 0; i < count; i++)
        v[i] = element(rank, i);
    sent = 0;
    all_reduce_ring(v, count, MPI_COMM_WORLD);
    for (int i = 0; i < count && !fault; i++) {
        double sum = 0;
        for (int r = 0; r < P; r++)
            sum += element(r, i);
        if (!(fabs(v[i] - sum) <= 1e-6 * P))
            fault = format_new("element %d is %g, expected %g", i, v[i], sum);
    }
    if (!fault && (guarded[0] != 7 || guarded[count + 1] != 7))
        fault = format_new("it writes outside of v");
    first = alloc((unsigned long)count + 1, sizeof *first);
    memcpy(first, v, (unsigned long)count * sizeof *v);
    PMPI_Bcast(first, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
    if (!fault && memcmp(first, v, (unsigned long)count * sizeof *v))
        fault = format_new("its bits differ from those on rank 0");
    long least = 2 * (count - (count + P - 1) / P), most = 2 * (count - count / P),
         elements = sent / (long)sizeof *v;
    if (!fault && (elements < least || elements > most))
        fault = format_new(
            "it sends %ld elements by MPI_Send and the like, expected 2(P-1)/P of %d: %ld to %ld",
            elements, count, least, most);
    free(first);
    free(guarded);
    return fault;
}

/* One rank, under mpirun: tries all counts. What the lowest rank finds wrong goes into the file at
 * path. */
static void ring_rank(const char *path)
{
    static const int counts[] = {0, 1, 2, 3, 4, 5, 7, 13, 1000, 1001, 100003};
    Comm *c = comm_open("mpi");
    char mine[256] = "", all[MOST_RANKS][256];
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts) && !*mine; i++) {
        char *fault = ring_case(counts[i], c->rank, c->size);
        double faults = fault != NULL;
        if (fault)
            snprintf(mine, sizeof mine, "P = %d, count = %d, rank %d: %s", c->size, counts[i],
                     c->rank, fault);
        free(fault);
        comm_all_reduce_host(c, &faults, 1, COMM_MAX);
        if (faults > 0)
            break;
    }
    comm_gather_host(c, c->rank == 0 ? all : NULL, mine, sizeof mine, 0);
    for (int r = 0; c->rank == 0 && r < c->size; r++)
        if (*all[r]) {
            FILE *file = fopen(path, "w");
            REQUIRE(file, "%s: cannot be written", path);
            fprintf(file, "%s\n", all[r]);
            fclose(file);
            break;
        }
    comm_close(c);
}

/* Returns what is wrong, or NULL. *to_do: the exercise is not written yet. */
static char *judge_ring(const char *self, const char *work, bool *to_do)
{
    for (int P = 1; P <= MOST_RANKS; P++) {
        char ranks[16], *path = format_new("%s/ring-%d", work, P),
                        *log = format_new("%s/ring-%d.log", work, P);
        snprintf(ranks, sizeof ranks, "%d", P);
        const char *const words[] = {
            "common/setup/launch.sh", "--np", ranks, self, "--rank", path, NULL};
        ChildEnd end = run_words(words, log);
        char *fault = first_line(path);
        free(log);
        free(path);
        *to_do = end.status == EXIT_TODO;
        if (*to_do || fault)
            return fault;
        if (end.timed_out)
            return format_new("%d ranks did not end within %d s: a deadlock?", P, run_seconds());
        if (end.status != 0)
            return format_new("on %d ranks it ended with status %d", P, end.status);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--rank")) {
        ring_rank(argv[2]);
        return 0;
    }
    char *work = check_folder_new();
    bool to_do = false;
    char *fault = judge_ring(argv[0], work, &to_do);
    ExerciseResult result = {to_do ? EXERCISE_TODO : fault ? EXERCISE_WRONG : EXERCISE_DONE, fault};
    exercise_say("ring", 16,
                 "all_reduce_ring: on 1 to 4 ranks the sum, the same bits on each, 2(P-1)/P of the "
                 "data sent",
                 result);
    check_folder_free(work, result.state == EXERCISE_DONE || to_do);
    free(fault);
    return to_do ? EXIT_TODO : result.state == EXERCISE_DONE ? 0 : EXIT_WRONG;
}
