/* link_table.c: the link of link.h in figures, under mpirun, for tests/e2e/link.sh and a reader.
 *
 *     link_table virtual [LINK [BYTES]]   five all-reduces by hand from 256 B to BYTES (4 MiB): the
 *     link_table real [LINK [BYTES]]      time on that clock, and the α-β model's
 *     link_table under-way                link_set while a message is in flight, which ends the run
 */
#include "check.h"
#include "five_all_reduces.h"
#include "link_ranks.h"
#include "number.h"
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
    else if (!strcmp(what, "under-way"))
        in_flight();
    else
        die(EXIT_USAGE, "usage: link_table virtual|real [LINK [BYTES]] | under-way");
    return 0;
}
