/* overhear.c: see overhear.h. The program is linked with --wrap (make/labs.mk): its calls of
 * MPI_Send come to __wrap_MPI_Send, which calls the MPI_Send that it stands for as __real_MPI_Send.
 */
#include "overhear.h"
#include <mpi.h>
#include <stddef.h>

/* The process's own, as MPI is. */
static Overheard *hears;
static void *its_context;

void overhear_begin(Overheard *heard, void *context)
{
    hears = heard;
    its_context = context;
}

void overhear_end(void) { hears = NULL; }

static void tell(int to, const void *data, int count, MPI_Datatype type)
{
    int size = 0;
    if (!hears)
        return;
    if (to >= 0)
        PMPI_Type_size(type, &size);
    hears(its_context, to, data, (double)count * size);
}

/* function, its parameters, its arguments, what is told */
#define WRAPPED(function, parameters, arguments, ...) \
    int __real_##function parameters; \
    int __wrap_##function parameters; \
    int __wrap_##function parameters \
    { \
        tell(__VA_ARGS__); \
        return __real_##function arguments; \
    }
#define NOTHING -1, NULL, 0, MPI_BYTE

WRAPPED(MPI_Send, (const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
        (v, n, type, to, tag, comm), to, v, n, type)
WRAPPED(MPI_Ssend, (const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
        (v, n, type, to, tag, comm), to, v, n, type)
WRAPPED(MPI_Isend,
        (const void *v, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
         MPI_Request *request),
        (v, n, type, to, tag, comm, request), to, v, n, type)
WRAPPED(MPI_Sendrecv,
        (const void *v, int n, MPI_Datatype type, int to, int tag, void *w, int m,
         MPI_Datatype other, int from, int other_tag, MPI_Comm comm, MPI_Status *status),
        (v, n, type, to, tag, w, m, other, from, other_tag, comm, status), to, v, n, type)
WRAPPED(MPI_Sendrecv_replace,
        (void *v, int n, MPI_Datatype type, int to, int tag, int from, int other_tag, MPI_Comm comm,
         MPI_Status *status),
        (v, n, type, to, tag, from, other_tag, comm, status), to, v, n, type)
WRAPPED(MPI_Recv,
        (void *v, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
        (v, n, type, from, tag, comm, status), NOTHING)
WRAPPED(MPI_Irecv,
        (void *v, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
        (v, n, type, from, tag, comm, request), NOTHING)
WRAPPED(MPI_Wait, (MPI_Request * request, MPI_Status *status), (request, status), NOTHING)
WRAPPED(MPI_Waitall, (int n, MPI_Request *requests, MPI_Status *statuses), (n, requests, statuses),
        NOTHING)
