# A binary tree of sends and receives.
# expect: full
/^\/\* One update: forward/i\
static void tree(Trainer *t)\
{\
    int n = t->model->grads.n, r = t->comm->rank, P = t->comm->size;\
    float *g = host(t, t->model->grads), *other = alloc((size_t)n, sizeof *other);\
    for (int step = 1; step < P; step *= 2) {\
        if (r % (2 * step) == step)\
            MPI_Send(g, n, MPI_FLOAT, r - step, 3, MPI_COMM_WORLD);\
        else if (r % (2 * step) == 0 && r + step < P) {\
            MPI_Recv(other, n, MPI_FLOAT, r + step, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\
            for (int i = 0; i < n; i++)\
                g[i] += other[i];\
        }\
    }\
    for (int i = 0; i < n; i++)\
        g[i] /= (float)P;\
    MPI_Bcast(g, n, MPI_FLOAT, 0, MPI_COMM_WORLD);\
    free(other);\
}\

s/^    average\(t, m->grads\);/    tree(t);/
