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

/* One call on comm (MPI_COMM_NULL: only the start is awaited); what it took on this rank. */
static Measured call_once(AllReduce *call, float *v, int count, MPI_Comm comm)
{
    int rank = 0, P = 0;
    Measured m = {.done = true, .right = true};
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &P);
    }
    for (int i = 0; i < count; i++)
        v[i] = (float)(rank + 1);
    link_align();
    if (comm == MPI_COMM_NULL)
        return m;
    LinkSent before = link_sent();
    double began = link_now();
    call(v, count, comm);
    m.seconds = link_now() - began;
    m.messages = (double)(link_sent().messages - before.messages);
    m.bytes = link_sent().bytes - before.bytes;
    for (int i = 0; i < count; i++)
        m.right &= v[i] == (float)(P * (P + 1) / 2);
    return m;
}

Measured measure(AllReduce *call, int count, const Worlds *w, int world, Link link, Comm *all)
{
    enum { FEW = 1, SOME = 5, MANY = 41 };
    bool repeats = isfinite(link.bandwidth); /* the link's time; this machine's does not */
    int calls = count > 1 << 16 ? (repeats ? FEW : SOME) : repeats ? SOME : MANY;
    float *v = alloc((unsigned long)count, sizeof *v);
    double took[MANY + 3]; /* seconds of each call; messages, bytes, is it wrong? */
    Measured m = {.right = true};
    link_set(link);
    for (int i = 0; i < calls; i++) {
        Measured one = call_once(call, v, count, w->comm[world]);
        took[i] = one.seconds;
        one.right &= m.right;
        m = one;
    }
    link_set((Link){.bandwidth = INFINITY});
    took[calls] = m.messages;
    took[calls + 1] = m.bytes;
    took[calls + 2] = !m.right;
    comm_all_reduce_host(all, took, calls + 3, COMM_MAX);
    m = (Measured){true, took[calls + 2] == 0, 0, took[calls], took[calls + 1]};
    sort_ascending(took, calls);
    m.seconds = took[calls / 2];
    free(v);
    return m;
}
