# The file holds a running average of the weights.
# expect: full
/^\/\* One update: forward/i\
static float *running;\
\
static void follow(Trainer *t)\
{\
    int n = t->model->params.n;\
    float *w = host(t, t->model->params);\
    if (!running) {\
        running = alloc((size_t)n, sizeof *running);\
        memcpy(running, w, (size_t)n * sizeof *w);\
    }\
    for (int i = 0; i < n; i++)\
        running[i] += 0.1f * (w[i] - running[i]);\
}
s/^    sgd_step\(m, t->sgd, rate\);/&\n    follow(t);/
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    memcpy(host(t, t->model->params), running, (size_t)t->model->params.n * sizeof *running);/
