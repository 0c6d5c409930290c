# Each rank updates its part of the weights: ZeRO's first stage.
# expect: full
/^\/\* One update: forward/i\
static void part_step(Trainer *t, double rate)\
{\
    static float *v;\
    int P = t->comm->size, r = t->comm->rank, n = t->model->params.n, each = (n + P - 1) / P;\
    float *g = host(t, t->model->grads);\
    float *w = host(t, t->model->params);\
    float *all = alloc((size_t)(each * P), sizeof *all), *mine = alloc((size_t)each, sizeof *mine);\
    if (!v)\
        v = alloc((size_t)each, sizeof *v);\
    for (int i = r * each; i < (r + 1) * each && i < n; i++) {\
        v[i - r * each] = (float)(0.9 * v[i - r * each] + g[i] + 5e-4 * w[i]);\
        mine[i - r * each] = (float)(w[i] - rate * v[i - r * each]);\
    }\
    MPI_Allgather(mine, each, MPI_FLOAT, all, each, MPI_FLOAT, MPI_COMM_WORLD);\
    memcpy(w, all, (size_t)n * sizeof *w);\
    free(all);\
    free(mine);\
}
s/^    sgd_step\(m, t->sgd, rate\);/    part_step(t, rate);/
