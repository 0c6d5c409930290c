/* measure.c: see measure.h. */
#include "measure.h"
#include "check.h"
#include "quantiles.h"
#include <math.h>
#include <stdlib.h>

Worlds worlds_new(int ranks)
{
    Worlds w = {0};
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int P = 2; P <= ranks && w.count < MOST_WORLDS; P = P % 3 == 0 ? P / 3 * 4 : P * 3 / 2) {
        MPI_Comm_split(MPI_COMM_WORLD, rank < P ? 1 : MPI_UNDEFINED, rank, &w.comm[w.count]);
        w.P[w.count++] = P;
    }
    return w;
}

void worlds_free(Worlds *w)
{
    for (int i = 0; i < w->count; i++)
        if (w->comm[i] != MPI_COMM_NULL)
            MPI_Comm_free(&w->comm[i]);
}

/* One call; what it took on this rank. */
static Measured call_once(AllReduce *call, float *v, int count, int P, MPI_Comm comm, Link link)
{
    int rank = 0;
    Measured m = {true, true, 0, 0, 0};
    if (comm != MPI_COMM_NULL)
        MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < count; i++)
        v[i] = (float)(rank + 1);
    link_set(link);
    if (comm != MPI_COMM_NULL) {
        if (isinf(link.bandwidth))
            MPI_Barrier(comm);
        LinkSent before = link_sent();
        double began = link_now();
        call(v, count, comm);
        m.seconds = link_now() - began;
        m.messages = (double)(link_sent().messages - before.messages);
        m.bytes = link_sent().bytes - before.bytes;
        for (int i = 0; i < count; i++)
            m.right &= v[i] == (float)(P * (P + 1) / 2);
    }
    link_set((Link){.bandwidth = INFINITY});
    return m;
}

Measured measure(AllReduce *call, int count, const Worlds *w, int world, Link link, Comm *all)
{
    enum { MOST_CALLS = 41 };
    /* the link's time repeats, this machine's does not */
    int few = isfinite(link.bandwidth) ? 1 : 11, many = isfinite(link.bandwidth) ? 5 : MOST_CALLS,
        calls = count > 1 << 16 ? few : many;
    float *v = alloc((unsigned long)count, sizeof *v);
    double seconds[MOST_CALLS];
    Measured m;
    for (int i = 0; i < calls; i++) {
        m = call_once(call, v, count, w->P[world], w->comm[world], link);
        double most[] = {m.seconds, m.messages, m.bytes, !m.right};
        comm_all_reduce_host(all, most, 4, COMM_MAX);
        seconds[i] = most[0];
        m = (Measured){true, most[3] == 0, 0, most[1], most[2]};
    }
    sort_ascending(seconds, calls);
    m.seconds = seconds[calls / 2];
    free(v);
    return m;
}
