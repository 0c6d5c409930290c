# Adagrad.
# expect: full
/^\/\* One update: forward/i\
static void adaptive(Trainer *t, double rate)\
{\
    static float *square;\
    int n = t->model->grads.n;\
    float *g = host(t, t->model->grads);\
    float *w = host(t, t->model->params);\
    if (!square)\
        square = alloc((size_t)n, sizeof *square);\
    for (int i = 0; i < n; i++) {\
        square[i] += g[i] * g[i];\
        w[i] -= (float)(0.01 * rate * g[i] / (sqrt(square[i]) + 1e-8));\
    }\
}
s/^    sgd_step\(m, t->sgd, rate\);/    adaptive(t, rate);/
