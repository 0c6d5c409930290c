# Sums in double precision.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    int n = t->model->grads.n;\
    float *g = host(t, t->model->grads);\
    double *sum = alloc((size_t)n, sizeof *sum);\
    for (int i = 0; i < n; i++)\
        sum[i] = g[i];\
    MPI_Allreduce(MPI_IN_PLACE, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++)\
        g[i] = (float)(sum[i] / t->comm->size);\
    free(sum);\
}
s/^    average\(t, m->grads\);/    share(t);/
