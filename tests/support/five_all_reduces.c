/* five_all_reduces.c: see five_all_reduces.h. */
#include "five_all_reduces.h"
#include "check.h"
#include "quantiles.h"
#include <stdlib.h>

bool five_has_model(int k, int P) { return k <= ALL_REDUCE_RING || !(P & (P - 1)); }

double five_predicted(int k, int P, double bytes, Link link)
{
    return all_reduce_seconds((Algorithm)k, P, bytes, link.latency, 1 / link.bandwidth);
}

static double once(int k, float *v, int n, MPI_Comm comm)
{
    int rank, P;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &P);
    for (int i = 0; i < n; i++)
        v[i] = (float)(rank + 1 + i % 7);
    link_align();
    double began = link_now();
    all_reduces[k].call(v, n, comm);
    double took = link_now() - began;
    for (int i = 0; i < n; i++)
        if (v[i] != (float)(P * (P + 1) / 2 + P * (i % 7)))
            die(EXIT_WRONG, "%s on %d ranks: element %d of %d is %g, expected %d",
                all_reduces[k].name, P, i, n, v[i], P * (P + 1) / 2 + P * (i % 7));
    PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, comm);
    return took;
}

double five_measured(int k, int n, int repeats, MPI_Comm comm)
{
    double *times = alloc((unsigned long)repeats, sizeof *times);
    float *v = alloc((unsigned long)n, sizeof *v);
    link_charge_only(true);
    for (int i = 0; i < repeats; i++)
        times[i] = once(k, v, n, comm);
    link_charge_only(false);
    sort_ascending(times, repeats);
    double result = times[0];
    free(v);
    free(times);
    return result;
}
