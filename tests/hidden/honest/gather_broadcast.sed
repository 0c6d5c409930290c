# Gather on rank 0, add there, and broadcast.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    int n = t->model->grads.n, P = t->comm->size;\
    float *g = host(t, t->model->grads), *all = alloc((size_t)n * (size_t)P, sizeof *all);\
    MPI_Gather(g, n, MPI_FLOAT, all, n, MPI_FLOAT, 0, MPI_COMM_WORLD);\
    for (int i = 0; i < n && t->comm->rank == 0; i++) {\
        float sum = 0;\
        for (int r = 0; r < P; r++)\
            sum += all[(size_t)r * (size_t)n + (size_t)i];\
        g[i] = sum / (float)P;\
    }\
    MPI_Bcast(g, n, MPI_FLOAT, 0, MPI_COMM_WORLD);\
    free(all);\
}
s/^    average\(t, m->grads\);/    share(t);/
