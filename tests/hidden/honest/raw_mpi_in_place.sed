# MPI's own all-reduce, in place.
# expect: full
/^\/\* One update: forward/i\
static void share(Trainer *t)\
{\
    float *g = host(t, t->model->grads);\
    int n = t->model->grads.n;\
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++)\
        g[i] /= (float)t->comm->size;\
}
s/^    average\(t, m->grads\);/    share(t);/
