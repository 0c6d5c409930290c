# MPI's own all-reduce, in place.
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
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++)\
        g[i] /= (float)t->comm->size;\
}
s/^    average\(t, m->grads\);/    share(t);/
