# Reduce to rank 0, and broadcast.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    float *g = host(t, t->model->grads);\
    int n = t->model->grads.n;\
    float *sum = alloc((size_t)n, sizeof *sum);\
    MPI_Reduce(g, sum, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);\
    MPI_Bcast(sum, n, MPI_FLOAT, 0, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++)\
        g[i] = sum[i] / (float)t->comm->size;\
    free(sum);\
}
s/^    average\(t, m->grads\);/    share(t);/
