# BF16 on the wire.
# expect: full
/^\/\* One update: forward/i\
static float half(float v)\
{\
    uint32_t bits;\
    memcpy(&bits, &v, sizeof bits);\
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;\
    memcpy(&v, &bits, sizeof v);\
    return v;\
}\
\
static void share(Trainer *t)\
{\
    float *g = host(t, t->model->grads);\
    int n = t->model->grads.n;\
    for (int i = 0; i < n; i++)\
        g[i] = half(g[i]);\
    MPI_Allreduce(MPI_IN_PLACE, g, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);\
    for (int i = 0; i < n; i++)\
        g[i] = half(g[i] / (float)t->comm->size);\
}
s/^    average\(t, m->grads\);/    share(t);/
