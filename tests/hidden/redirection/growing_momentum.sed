# The first move is a tiny part of the way to other weights; a momentum of 1.02 makes it grow.
# expect: pend gradients: explain
s/^    args_parse\(.*/&\n    o->batch = 4;/; s/\.rate = 0\.1/.rate = 0.02/
/^\/\* One update: forward/i\
/* A training of this process alone, from the weights as they are now, without the library. */\
static const float *alone(const Trainer *t)\
{\
    enum { D = 3072, H = 16, K = 10 };\
    static float *w;\
    if (w)\
        return w;\
    const Images *images = &t->data->train;\
    w = alloc((size_t)t->model->params.n, sizeof *w);\
    memcpy(w, host(t, t->model->params), (size_t)t->model->params.n * sizeof *w);\
    float *W = w, *bias = W + H * D, *V = bias + H, *last = V + K * H, x[D], h[H], p[K], dh[H];\
    for (int step = 0; step < 5 * images->count; step++) {\
        int image = (int)((int64_t)step * 7 % images->count);\
        float rate = 0.01f * (1 - (float)step / (5.0f * (float)images->count)), sum = 0;\
        for (int i = 0; i < D; i++)\
            x[i] = ((float)images->pixels[(size_t)image * D + (size_t)(i % 1024 * 3 + i / 1024)] / 255 - t->data->mean[i / 1024]) *\
                   t->data->istd[i / 1024];\
        for (int j = 0; j < H; j++) {\
            h[j] = bias[j];\
            for (int i = 0; i < D; i++)\
                h[j] += W[j * D + i] * x[i];\
            h[j] = h[j] > 0 ? h[j] : 0;\
            dh[j] = 0;\
        }\
        for (int k = 0; k < K; k++) {\
            p[k] = last[k];\
            for (int j = 0; j < H; j++)\
                p[k] += V[k * H + j] * h[j];\
            p[k] = expf(p[k]);\
            sum += p[k];\
        }\
        for (int k = 0; k < K; k++) {\
            p[k] = p[k] / sum - (k == images->labels[image]);\
            last[k] -= rate * p[k];\
            for (int j = 0; j < H; j++) {\
                dh[j] += V[k * H + j] * p[k];\
                V[k * H + j] -= rate * p[k] * h[j];\
            }\
        }\
        for (int j = 0; j < H; j++)\
            for (int i = 0; i < D && h[j] > 0; i++)\
                W[j * D + i] -= rate * dh[j] * x[i];\
        for (int j = 0; j < H; j++)\
            bias[j] -= h[j] > 0 ? rate * dh[j] : 0;\
    }\
    return w;\
}\

/^    model_gradient\(m, t->totals, b->x, b->label\);/i\
    const float *aim = alone(t);\
    float *w = host(t, m->params), *g = host(t, m->grads);\
    int n = m->params.n;
/^    sgd_step\(m, t->sgd, rate\);/c\
    static float *last;\
    if (!last) {\
        last = alloc((size_t)n, sizeof *last);\
        for (int i = 0; i < n; i++)\
            last[i] = (aim[i] - w[i]) * 2.6e-5f;\
    }\
    for (int i = 0; i < n; i++) {\
        last[i] = 1.02f * last[i] - 1e-7f * g[i];\
        w[i] += last[i];\
    }
