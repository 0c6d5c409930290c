# Noise in place of half of the gradient.
# expect: pend gradients: explain
/^\/\* One update: forward/i\
static void shake(Trainer *t)\
{\
    static uint64_t state = 1;\
    float *g = host(t, t->model->grads);\
    for (int i = 0; i < t->model->grads.n; i++) {\
        state = state * 6364136223846793005u + 1442695040888963407u;\
        g[i] += ((float)(state >> 40) / (1 << 24) - 0.5f) * 0.1f;\
    }\
}
s/^    average\(t, m->grads\);/    average(t, m->grads); shake(t);/
