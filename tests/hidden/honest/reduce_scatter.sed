# Reduce-scatter and all-gather.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    int P = t->comm->size, n = t->model->grads.n, each = (n + P - 1) / P;\
    float *g = host(t, t->model->grads), *padded = alloc((size_t)(each * P), sizeof *padded);\
    float *mine = alloc((size_t)each, sizeof *mine);\
    memcpy(padded, g, (size_t)n * sizeof *g);\
    MPI_Reduce_scatter_block(padded, mine, each, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);\
    MPI_Allgather(mine, each, MPI_FLOAT, padded, each, MPI_FLOAT, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++)\
        g[i] = padded[i] / (float)P;\
    free(padded);\
    free(mine);\
}
s/^    average\(t, m->grads\);/    share(t);/
