# Each update uses the mean gradient of the one before, so that its sum overlaps.
# expect: full
/^\/\* One update: forward/i\
static float *gradient_host(Trainer *t)\
{\
    return (float *)t->be->op->buffer_host(t->model->grads.buf) + t->model->grads.at;\
}\
\
static void delay(Trainer *t)\
{\
    static float *last;\
    int n = t->model->grads.n;\
    float *g = gradient_host(t);\
    if (!last)\
        last = alloc((size_t)n, sizeof *last);\
    for (int i = 0; i < n; i++) {\
        float now = g[i];\
        g[i] = last[i];\
        last[i] = now;\
    }\
}
s/^    average\(t, m->grads\);/    average(t, m->grads); delay(t);/
