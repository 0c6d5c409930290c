/* five_all_reduces.c: see five_all_reduces.h. */
#include "five_all_reduces.h"
#include "check.h"
#include "quantiles.h"
#include <math.h>
#include <stdlib.h>

enum { TAG = 5 };

static void add(float *v, const float *w, int n)
{
    for (int i = 0; i < n; i++)
        v[i] += w[i];
}

static void get(float *v, int n, int from, MPI_Comm c)
{
    MPI_Recv(v, n, MPI_FLOAT, from, TAG, c, MPI_STATUS_IGNORE);
}

static void put(const float *v, int n, int to, MPI_Comm c)
{
    MPI_Send(v, n, MPI_FLOAT, to, TAG, c);
}

static void swap(const float *v, int n, int to, float *w, int m, int from, MPI_Comm c)
{
    MPI_Sendrecv(v, n, MPI_FLOAT, to, TAG, w, m, MPI_FLOAT, from, TAG, c, MPI_STATUS_IGNORE);
}

static void where(MPI_Comm c, int *rank, int *P)
{
    MPI_Comm_rank(c, rank);
    MPI_Comm_size(c, P);
}

static void naive(float *v, float *room, int n, MPI_Comm c)
{
    int rank, P;
    where(c, &rank, &P);
    if (rank > 0) {
        put(v, n, 0, c);
        get(v, n, 0, c);
        return;
    }
    for (int r = 1; r < P; r++) {
        get(room, n, r, c);
        add(v, room, n);
    }
    for (int r = 1; r < P; r++)
        put(v, n, r, c);
}

static void ring(float *v, float *room, int n, MPI_Comm c)
{
    int rank, P;
    where(c, &rank, &P);
    int next = (rank + 1) % P, previous = (rank + P - 1) % P;
    for (int step = 0; step < 2 * (P - 1); step++) {
        int out = (rank - step + 2 * P) % P, in = (out + P - 1) % P;
        int from = (int)((long)n * out / P), to = (int)((long)n * (out + 1) / P);
        int at = (int)((long)n * in / P), end = (int)((long)n * (in + 1) / P);
        bool adds = step < P - 1;
        swap(v + from, to - from, next, adds ? room : v + at, end - at, previous, c);
        if (adds)
            add(v + at, room, end - at);
    }
}

static void doubling(float *v, float *room, int n, MPI_Comm c)
{
    int rank, P;
    where(c, &rank, &P);
    for (int d = 1; d < P; d *= 2) {
        swap(v, n, rank ^ d, room, n, rank ^ d, c);
        add(v, room, n);
    }
}

static void halving(float *v, float *room, int n, MPI_Comm c)
{
    int rank, P, from = 0, to = n;
    int begins[32], ends[32], depth = 0;
    where(c, &rank, &P);
    for (int d = P / 2; d > 0; d /= 2, depth++) {
        int middle = from + (to - from) / 2;
        bool upper = rank & d;
        int give = upper ? from : middle, given = upper ? middle - from : to - middle;
        begins[depth] = from, ends[depth] = to;
        from = upper ? middle : from, to = upper ? to : middle;
        swap(v + give, given, rank ^ d, room, to - from, rank ^ d, c);
        add(v + from, room, to - from);
    }
    for (int d = 1; d < P; d *= 2) {
        depth--;
        bool upper = rank & d;
        int at = upper ? begins[depth] : to, end = upper ? from : ends[depth];
        swap(v + from, to - from, rank ^ d, v + at, end - at, rank ^ d, c);
        from = begins[depth], to = ends[depth];
    }
}

static void tree(float *v, float *room, int n, MPI_Comm c)
{
    int rank, P, d = 1;
    where(c, &rank, &P);
    for (; d < P && rank % (2 * d) == 0; d *= 2)
        if (rank + d < P) {
            get(room, n, rank + d, c);
            add(v, room, n);
        }
    if (rank > 0) {
        put(v, n, rank - d, c);
        get(v, n, rank - d, c);
    }
    for (d /= 2; d > 0; d /= 2)
        if (rank + d < P)
            put(v, n, rank + d, c);
}

const AllReduce five_all_reduces[FIVE] = {{"naive", naive, false},
                                          {"ring", ring, false},
                                          {"doubling", doubling, true},
                                          {"halving-doubling", halving, true},
                                          {"tree", tree, true}};

double five_predicted(int k, int P, double bytes, Link link)
{
    double rounds = log2(P), whole = bytes / link.bandwidth, part = whole * (P - 1) / P;
    double a = link.latency;
    switch (k) {
    case 0: return 2 * a + 2 * (P - 1) * whole;
    case 1: return 2 * (P - 1) * a + 2 * part;
    case 2: return rounds * (a + whole);
    case 3: return 2 * rounds * a + 2 * part;
    default: return 2 * rounds * (a + whole);
    }
}

static double once(int k, float *v, float *room, int n, MPI_Comm comm)
{
    int rank, P;
    where(comm, &rank, &P);
    for (int i = 0; i < n; i++)
        v[i] = (float)(rank + 1 + i % 7);
    link_align();
    double began = link_now();
    five_all_reduces[k].run(v, room, n, comm);
    double took = link_now() - began;
    for (int i = 0; i < n; i++)
        if (v[i] != (float)(P * (P + 1) / 2 + P * (i % 7)))
            die(EXIT_WRONG, "%s on %d ranks: element %d of %d is %g, expected %d",
                five_all_reduces[k].name, P, i, n, v[i], P * (P + 1) / 2 + P * (i % 7));
    PMPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, comm);
    return took;
}

double five_measured(int k, int n, int repeats, MPI_Comm comm)
{
    double *times = alloc((unsigned long)repeats, sizeof *times);
    float *v = alloc((unsigned long)n, sizeof *v), *room = alloc((unsigned long)n, sizeof *room);
    link_charge_only(true);
    for (int i = 0; i < repeats; i++)
        times[i] = once(k, v, room, n, comm);
    link_charge_only(false);
    sort_ascending(times, repeats);
    double result = times[0];
    free(room);
    free(v);
    free(times);
    return result;
}
