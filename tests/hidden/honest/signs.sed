# A vote of the gradients' signs (signSGD).
# expect: full
/^\/\* One update: forward/i\
static void vote(Trainer *t)\
{\
    float *g = host(t, t->model->grads);\
    for (int i = 0; i < t->model->grads.n; i++)\
        g[i] = (float)((g[i] > 0) - (g[i] < 0)) * 1e-3f;\
}
s/^    average\(t, m->grads\);/    vote(t); average(t, m->grads);/
