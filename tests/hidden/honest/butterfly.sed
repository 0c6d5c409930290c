# A butterfly: partners at distances 1, 2, 4 …
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    int n = t->model->grads.n;\
    float *g = host(t, t->model->grads), *in = alloc((size_t)n, sizeof *in);\
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
