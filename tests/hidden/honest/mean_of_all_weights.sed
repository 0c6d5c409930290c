# The file holds the mean of the weights of all updates.
# expect: full
/^\/\* One update: forward/i\
static double *sum;\
\
static void follow(Trainer *t)\
{\
    int n = t->model->params.n;\
    float *w = host(t, t->model->params);\
    if (!sum)\
        sum = alloc((size_t)n, sizeof *sum);\
    for (int i = 0; i < n; i++)\
        sum[i] += w[i];\
}
s/^    sgd_step\(m, t->sgd, rate\);/    follow(t);\n&/
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    float *w = host(t, t->model->params);\n    for (int i = 0; i < t->model->params.n; i++)\n        w[i] = (float)(sum[i] \/ (double)t->at.step);/
