/* wire.h: a communicator that counts what each rank sends, and passes everything on to another.
 *
 * As by rings, not as MPI really does it: of whole vectors of n bytes a reduce-scatter or an
 * all-gather sends (P - 1) / P * n, an all-reduce twice that.
 */
#ifndef WIRE_H
#define WIRE_H
#include "comm.h"

typedef struct Wire {
    Comm comm; /* first: give &wire->comm to those who are counted */
    CommOps op;
    Comm *inner;
    double sent; /* bytes */
    int calls;
} Wire;

/* It must not outlive inner, and must not move. Only blocking all-reduces, reduce-scatters,
 * all-gathers (also started), and comm_gather_host. */
void wire_init(Wire *w, Comm *inner);
#endif
