/* 2d_all_reduce_halving.c: the all-reduce by halving and doubling. */
#include "check.h"
#include "lab2.h"
#include <stdlib.h>

typedef struct Range {
    int begin, end;
} Range;

/* Send one range of v to the partner while receiving another from it, into `to`. */
static void swap_ranges(const float *v, Range out, float *to, Range in, int partner, MPI_Comm comm)
{
    MPI_Sendrecv(v + out.begin, out.end - out.begin, MPI_FLOAT, partner, 0, to, in.end - in.begin,
                 MPI_FLOAT, partner, 0, comm, MPI_STATUS_IGNORE);
}

/* Among the ranks 0 … Q-1, Q a power of two. arrived: room for count elements. */
static void halve_and_double(float *v, float *arrived, int count, int rank, int Q, MPI_Comm comm)
{
    Range mine[32] = {{0, count}}; /* before each cut */
    int cuts = 0;
    for (int d = Q / 2; d >= 1; d /= 2, cuts++) {
        Range whole = mine[cuts], keep = whole;
        int middle = whole.begin + (whole.end - whole.begin) / 2;
        *(rank & d ? &keep.begin : &keep.end) = middle;
        Range give = rank & d ? (Range){whole.begin, middle} : (Range){middle, whole.end};
        swap_ranges(v, give, arrived, keep, rank ^ d, comm);
        for (int i = keep.begin; i < keep.end; i++)
            v[i] += arrived[i - keep.begin];
        mine[cuts + 1] = keep;
    }
    for (int d = 1; d < Q; d *= 2, cuts--) {
        Range have = mine[cuts], missing = mine[cuts - 1];
        *(rank & d ? &missing.end : &missing.begin) = rank & d ? have.begin : have.end;
        swap_ranges(v, have, v + missing.begin, missing, rank ^ d, comm);
    }
}

void all_reduce_halving(float *v, int count, MPI_Comm comm)
{
    int rank, P, Q = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &P);
    while (2 * Q <= P)
        Q *= 2;
    if (rank >= Q) { /* an extra rank */
        MPI_Send(v, count, MPI_FLOAT, rank - Q, 0, comm);
        MPI_Recv(v, count, MPI_FLOAT, rank - Q, 0, comm, MPI_STATUS_IGNORE);
        return;
    }
    float *arrived = alloc((unsigned long)count + 1, sizeof *arrived);
    if (rank + Q < P) {
        MPI_Recv(arrived, count, MPI_FLOAT, rank + Q, 0, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            v[i] += arrived[i];
    }
    halve_and_double(v, arrived, count, rank, Q, comm);
    if (rank + Q < P)
        MPI_Send(v, count, MPI_FLOAT, rank + Q, 0, comm);
    free(arrived);
}
