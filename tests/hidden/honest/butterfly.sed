# A butterfly: partners at distances 1, 2, 4 …
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
    int n = t->model->grads.n;\
    float *g = gradient_host(t), *in = alloc((size_t)n, sizeof *in);\
    for (int d = 1; d < t->comm->size; d *= 2) {\
        MPI_Sendrecv(g, n, MPI_FLOAT, t->comm->rank ^ d, 0, in, n, MPI_FLOAT, t->comm->rank ^ d, 0,\
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);\
        for (int i = 0; i < n; i++)\
            g[i] += in[i];\
    }\
    for (int i = 0; i < n; i++)\
        g[i] /= (float)t->comm->size;\
    free(in);\
}
s/^    average\(t, m->grads\);/    share(t);/
