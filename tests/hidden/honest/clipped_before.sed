# Each rank limits the length of its own gradient before the sum.
# expect: full
/^\/\* One update: forward/i\
static float *gradient_host(Trainer *t)\
{\
    return (float *)t->be->op->buffer_host(t->model->grads.buf) + t->model->grads.at;\
}\
\
static void clip(Trainer *t)\
{\
    float *g = gradient_host(t);\
    double sum = 0;\
    for (int i = 0; i < t->model->grads.n; i++)\
        sum += (double)g[i] * g[i];\
    if (sqrt(sum) > 0.5)\
        t->be->op->scale(t->model->s, t->model->grads, (float)(0.5 / sqrt(sum)));\
}
s/^    average\(t, m->grads\);/    clip(t); average(t, m->grads);/
