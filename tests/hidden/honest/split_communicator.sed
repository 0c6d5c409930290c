# Another communicator, by a split in reverse order, and slices of unequal length.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    static MPI_Comm own = MPI_COMM_NULL;\
    if (own == MPI_COMM_NULL)\
        MPI_Comm_split(MPI_COMM_WORLD, 0, -t->comm->rank, &own);\
    float *g = host(t, t->model->grads);\
    int n = t->model->grads.n;\
    for (int at = 0, length = 100; at < n; at += length, length *= 2) {\
        int count = n - at < length ? n - at : length;\
        MPI_Allreduce(MPI_IN_PLACE, g + at, count, MPI_FLOAT, MPI_SUM, own);\
    }\
    for (int i = 0; i < n; i++)\
        g[i] /= (float)t->comm->size;\
}
s/^    average\(t, m->grads\);/    share(t);/
