# A ring of MPI_Sendrecv, as in lab 2.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    int P = t->comm->size, r = t->comm->rank, n = t->model->grads.n;\
    float *g = host(t, t->model->grads), *in = alloc((size_t)n, sizeof *in);\
    for (int step = 0; step < 2 * (P - 1); step++) {\
        int out = ((r - step) % P + P) % P, got = ((r - step - 1) % P + P) % P;\
        int a = (int)((int64_t)n * out / P), b = (int)((int64_t)n * (out + 1) / P);\
        int c = (int)((int64_t)n * got / P), d = (int)((int64_t)n * (got + 1) / P);\
        MPI_Sendrecv(g + a, b - a, MPI_FLOAT, (r + 1) % P, 0, in, d - c, MPI_FLOAT,\
                     (r + P - 1) % P, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\
        for (int i = c; i < d; i++)\
            g[i] = step < P - 1 ? g[i] + in[i - c] : in[i - c];\
    }\
    for (int i = 0; i < n; i++)\
        g[i] /= (float)P;\
    free(in);\
}
s/^    average\(t, m->grads\);/    share(t);/
