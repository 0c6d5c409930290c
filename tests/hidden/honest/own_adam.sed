# An Adam of one's own.
# expect: full
/^\/\* One update: forward/i\
static void adam(Trainer *t, double rate)\
{\
    static float *mean, *square;\
    static int steps;\
    int n = t->model->grads.n;\
    float *g = host(t, t->model->grads);\
    float *w = host(t, t->model->params);\
    if (!mean) {\
        mean = alloc((size_t)n, sizeof *mean);\
        square = alloc((size_t)n, sizeof *square);\
    }\
    steps++;\
    double one = 1 / (1 - pow(0.9, steps)), two = 1 / (1 - pow(0.999, steps));\
    for (int i = 0; i < n; i++) {\
        mean[i] = 0.9f * mean[i] + 0.1f * g[i];\
        square[i] = 0.999f * square[i] + 0.001f * g[i] * g[i];\
        w[i] -= (float)(0.01 * rate * one * mean[i] / (sqrt(two * square[i]) + 1e-8));\
    }\
}
s/^    sgd_step\(m, t->sgd, rate\);/    adam(t, rate);/
