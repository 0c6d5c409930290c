# LARS: a rate for each layer.
# expect: full
/^\/\* One update: forward/i\
static void lars(Trainer *t, double rate)\
{\
    static float *v;\
    Model *m = t->model;\
    float *g = host(t, t->model->grads), *w = (float *)t->be->op->buffer_host(m->params.buf) + m->params.at;\
    if (!v)\
        v = alloc((size_t)m->params.n, sizeof *v);\
    for (int k = 0; k < m->nviews; k++) {\
        double ww = 0, gg = 0;\
        for (size_t i = m->views[k].at; i < m->views[k].at + (size_t)m->views[k].count; i++) {\
            ww += (double)w[i] * w[i];\
            gg += (double)g[i] * g[i];\
        }\
        double trust = ww > 0 && gg > 0 ? 0.02 * sqrt(ww / gg) : 0.02;\
        for (size_t i = m->views[k].at; i < m->views[k].at + (size_t)m->views[k].count; i++) {\
            v[i] = (float)(0.9 * v[i] + rate * trust * (g[i] + 5e-4 * w[i]));\
            w[i] -= v[i];\
        }\
    }\
}
s/^    sgd_step\(m, t->sgd, rate\);/    lars(t, rate);/
