# MPI's own all-reduce into another buffer, on a duplicate of the world.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    static MPI_Comm own = MPI_COMM_NULL;\
    if (own == MPI_COMM_NULL)\
        MPI_Comm_dup(MPI_COMM_WORLD, &own);\
    float *g = host(t, t->model->grads);\
    int n = t->model->grads.n;\
    float *sum = alloc((size_t)n, sizeof *sum);\
    MPI_Allreduce(g, sum, n, MPI_FLOAT, MPI_SUM, own);\
    for (int i = 0; i < n; i++)\
        g[i] = sum[i] / (float)t->comm->size;\
    free(sum);\
}
s/^    average\(t, m->grads\);/    share(t);/
