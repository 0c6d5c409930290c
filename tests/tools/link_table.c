/* link_table.c: the link of link.h in figures, under mpirun, for tests/e2e/link.sh and a reader.
 *
 *     link_table virtual [LINK [BYTES]]   five all-reduces by hand from 256 B to BYTES (4 MiB): the
 *     link_table real [LINK [BYTES]]      time on that clock, and the α-β model's
 *     link_table cost                     what the layer between a program and MPI costs, without a
 *                                         link: calls through it and around it, in turn
 *     link_table under-way                link_set while a message is in flight, which ends the run
 */
#include "check.h"
#include "five_all_reduces.h"
#include "link_ranks.h"
#include "number.h"
#include "quantiles.h"
#include "timer.h"
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, P;

/* ---- against the model ---- */

static void table(const char *clock, const char *text, int64_t most)
{
    link_ranks_begin(text, clock, &rank, &P);
    char words[64];
    Link link = link_now_used();
    link_text(words, sizeof words, link);
    if (rank == 0)
        printf("%d ranks, %s, %s clock\n%9s  %-16s  %10s  %10s  %6s\n", P, words, clock, "bytes",
               "all-reduce", "ms", "model", "ratio");
    for (int64_t bytes = 256, next; bytes <= most; bytes = next) {
        next = bytes * 16 > most && bytes < most ? most : bytes * 16;
        for (int k = 0; k < ALL_REDUCES; k++) {
            if (!five_has_model(k, P))
                continue;
            int repeats = link_virtual() ? 1 : bytes > 1 << 18 ? 3 : 25;
            double took = five_measured(k, (int)(bytes / 4), repeats, MPI_COMM_WORLD);
            double model = five_predicted(k, P, (double)bytes, link);
            if (rank == 0)
                printf("%9lld  %-16s  %10.4f  %10.4f  %6.3f\n", (long long)bytes,
                       all_reduces[k].name, 1e3 * took, 1e3 * model, took / model);
        }
    }
    MPI_Finalize();
}

/* ---- what the layer costs ---- */

enum { CALLS = 200, ROUNDS = 401 }; /* short: a busy machine does not interrupt most of them */

static void layer_reduce(double *v)
{
    MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void plain_reduce(double *v)
{
    PMPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void layer_ping(double *v)
{
    if (rank == 0)
        MPI_Send(v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank < 2)
        MPI_Recv(v, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

static void plain_ping(double *v)
{
    if (rank == 0)
        PMPI_Send(v, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank < 2)
        PMPI_Recv(v, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        PMPI_Send(v, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

/* Microseconds of one call. */
static double time_of(void (*call)(double *))
{
    double v = 0;
    PMPI_Barrier(MPI_COMM_WORLD);
    double began = timer_real();
    for (int i = 0; i < CALLS; i++)
        call(&v);
    return 1e6 * (timer_real() - began) / CALLS;
}

static void compare(const char *what, void (*layer)(double *), void (*plain)(double *))
{
    double with[ROUNDS], without[ROUNDS], more[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) { /* in turn, in either order: the machine drifts */
        for (int half = 0; half < 2; half++)
            if (half == i % 2)
                with[i] = time_of(layer);
            else
                without[i] = time_of(plain);
        more[i] = with[i] - without[i];
    }
    sort_ascending(with, ROUNDS);
    sort_ascending(without, ROUNDS);
    sort_ascending(more, ROUNDS);
    if (rank == 0)
        printf("%-22s %7.3f us through the layer, %7.3f around it; difference %6.3f (%.3f to %.3f "
               "in half of %d pairs)\n",
               what, with[ROUNDS / 2], without[ROUNDS / 2], more[ROUNDS / 2], more[ROUNDS / 4],
               more[3 * ROUNDS / 4], ROUNDS);
}

static void cost(void)
{
    link_ranks_begin("none", "real", &rank, &P);
    compare("8-byte all-reduce", layer_reduce, plain_reduce);
    compare("4-byte ping and pong", layer_ping, plain_ping);
    MPI_Finalize();
}

/* ---- a mistake ---- */

static void in_flight(void)
{
    link_ranks_begin("none", "real", &rank, &P);
    if (rank == 0)
        MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    link_set((Link){1e8, 0});
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int64_t most = 4 << 20;
    REQUIRE(argc < 4 || number_whole(&most, argv[3], 256, 1 << 28), "%s: expected bytes", argv[3]);
    if (!strcmp(what, "virtual") || !strcmp(what, "real"))
        table(what, argc > 2 ? argv[2] : "1Gbit/s,50us", most);
    else if (!strcmp(what, "cost"))
        cost();
    else if (!strcmp(what, "under-way"))
        in_flight();
    else
        die(EXIT_USAGE, "usage: link_table virtual|real [LINK [BYTES]] | cost | under-way");
    return 0;
}
