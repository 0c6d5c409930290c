/* 2_all_reduce_ring.c: the check of all_reduce_ring: the sum, the same bits on all ranks, no write
 * out of bounds, and how much each rank sends.
 *
 *     check/2_all_reduce_ring               judge it on 1 to 4 ranks
 *     trial/2_all_reduce_ring --rank FILE   one rank of that: the same program, linked with the
 *                                           exercise; the first one starts it under mpirun
 */
#include "check.h"
#include "check_run.h"
#include "comm.h"
#include "exercise.h"
#include "lab2.h"
#include "link.h"
#include "rng.h"
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* this rank: its process, and the file that it writes its verdict to */
static pid_t self;
static const char *verdict_path;
static const char RIGHT[] = "right";

static void write_verdict(const char *text)
{
    FILE *file = fopen(verdict_path, "a");
    REQUIRE(file, "%s: cannot be written", verdict_path);
    fprintf(file, "%s\n", text);
    fclose(file);
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
    double before = link_sent().bytes;
    all_reduce_ring(v, count, MPI_COMM_WORLD);
    if (getpid() != self) {
        write_verdict("it started a process, which came back: a rank is one process");
        _exit(EXIT_WRONG);
    }
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
         elements = (long)((link_sent().bytes - before) / sizeof *v);
    if (!fault && (elements < least || elements > most))
        fault = format_new(
            "it sends %ld elements by MPI_Send and the like, expected 2(P-1)/P of %d: %ld to %ld",
            elements, count, least, most);
    free(first);
    free(guarded);
    return fault;
}

/* One rank, under mpirun: tries all counts. What the lowest rank finds wrong, or RIGHT, goes into
 * the file at path. */
static void ring_rank(const char *path)
{
    verdict_path = path;
    self = getpid();
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
    if (c->rank == 0) {
        int r = 0;
        while (r < c->size && !*all[r])
            r++;
        write_verdict(r < c->size ? all[r] : RIGHT);
    }
    comm_close(c);
}

/* What is wrong with the run on P ranks that ended so, with this verdict (NULL: none); NULL:
 * nothing. */
static char *fault_of(int P, const ChildEnd *end, const char *verdict)
{
    bool right = verdict && !strcmp(verdict, RIGHT);
    if (verdict && !right)
        return format_new("%s", verdict);
    if (end->timed_out)
        return format_new("%d ranks did not end within %d s: a deadlock?", P, run_seconds());
    if (*end->killed)
        return format_new("on %d ranks %s", P, end->killed);
    if (end->status == 128 + SIGSYS)
        return format_new("on %d ranks it sent a signal to all processes, or to the check", P);
    if (end->status == 0)
        return right ? NULL : format_new("on %d ranks it ended the program with exit(0)", P);
    char *error = error_line(fmemopen(end->text, strlen(end->text), "r"));
    char *fault = format_new("on %d ranks it ended with status %d%s%s", P, end->status,
                             error ? ": " : "", error ? error : "");
    free(error);
    return fault;
}

/* The program on 1 to 4 ranks, until one of these runs is wrong. */
static ExerciseResult judge_ring(const char *program, const char *work)
{
    ExerciseResult result = {EXERCISE_DONE, NULL, NULL};
    for (int P = 1; P <= MOST_RANKS && result.state == EXERCISE_DONE; P++) {
        char ranks[16], *path = format_new("%s/ring-%d", work, P);
        snprintf(ranks, sizeof ranks, "%d", P);
        const char *const words[] = {
            "common/setup/launch.sh", "--np", ranks, program, "--rank", path, NULL};
        ChildEnd end = run_words(words, NULL);
        char *verdict = first_line(path);
        result.why = fault_of(P, &end, verdict);
        result.state = end.status == EXIT_TODO ? EXERCISE_TODO
                     : result.why              ? EXERCISE_WRONG
                                               : EXERCISE_DONE;
        free(result.printed);
        result.printed = end.text;
        free(verdict);
        free(path);
    }
    return result;
}

int main(int argc, char **argv)
{
    static const int statuses[] = {0, EXIT_TODO, EXIT_WRONG};
    if (argc == 3 && !strcmp(argv[1], "--rank")) {
        ring_rank(argv[2]);
        return 0;
    }
    REQUIRE(argc == 1, "%s takes no arguments", argv[0]);
    char *program = exercise_trial_path(argv[0]), *work = check_folder_new();
    ExerciseResult result = judge_ring(program, work);
    exercise_say("ring", 16,
                 "all_reduce_ring: on 1 to 4 ranks the sum, the same bits on each, 2(P-1)/P of the "
                 "data sent",
                 result);
    check_folder_free(work, true);
    free(program);
    free(result.printed);
    free(result.why);
    return statuses[result.state];
}
