# Two non-blocking halves.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    MPI_Request both[2];\
    float *g = host(t, t->model->grads);\
    int n = t->model->grads.n, half = n / 2;\
    MPI_Iallreduce(MPI_IN_PLACE, g, half, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &both[0]);\
    MPI_Iallreduce(MPI_IN_PLACE, g + half, n - half, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &both[1]);\
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);\
    for (int i = 0; i < n; i++)\
        g[i] /= (float)t->comm->size;\
}
s/^    average\(t, m->grads\);/    share(t);/
