# Reduce to rank 0, and broadcast.
# expect: full
s/^#include "comm.h"/&\n#include <mpi.h>/
/^\/\* One update: forward/i\
static float *gradient_host(Trainer *t)\
{\
    return (float *)t->be->op->buffer_host(t->model->grads.buf) + t->model->grads.at;\
}\
\
static void share(Trainer *t)\
{\
    float *g = gradient_host(t);\
    int n = t->model->grads.n;\
    float *sum = alloc((size_t)n, sizeof *sum);\
    MPI_Reduce(g, sum, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);\
    MPI_Bcast(sum, n, MPI_FLOAT, 0, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++)\
        g[i] = sum[i] / (float)t->comm->size;\
    free(sum);\
}
s/^    average\(t, m->grads\);/    share(t);/
