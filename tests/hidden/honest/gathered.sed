# All gather all gradients, and add them up.
# expect: full
/^\/\* One update: forward/i\
static void gather(Trainer *t)\
{\
    int n = t->model->grads.n, P = t->comm->size;\
    float *g = host(t, t->model->grads), *all = alloc((size_t)n * (size_t)P, sizeof *all);\
    MPI_Allgather(g, n, MPI_FLOAT, all, n, MPI_FLOAT, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++) {\
        g[i] = 0;\
        for (int r = 0; r < P; r++)\
            g[i] += all[(size_t)r * (size_t)n + (size_t)i] / (float)P;\
    }\
    free(all);\
}\

s/^    average\(t, m->grads\);/    gather(t);/
