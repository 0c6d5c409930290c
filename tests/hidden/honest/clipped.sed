# The mean gradient's length is limited.
# expect: full
/^\/\* One update: forward/i\
static void clip(Trainer *t)\
{\
    float *g = host(t, t->model->grads);\
    double sum = 0;\
    for (int i = 0; i < t->model->grads.n; i++)\
        sum += (double)g[i] * g[i];\
    if (sqrt(sum) > 0.5)\
        t->be->op->scale(t->model->s, t->model->grads, (float)(0.5 / sqrt(sum)));\
}
s/^    average\(t, m->grads\);/    average(t, m->grads); clip(t);/
