# Smoothed labels, by a function as Lab 3's.
# expect: full
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    model_zero_grads(m);\
    model_forward(m, b->x, MODEL_TRAIN);\
    model_loss(m, t->totals, b->label, NO_TENSOR, true);\
    Tensor slope = model_loss_gradient(m);\
    int N = slope.n, K = slope.c;\
    float *host = alloc((size_t)(N * K), sizeof *host);\
    int32_t *right = alloc((size_t)N, sizeof *right);\
    t->be->op->download(m->s, host, slope);\
    t->be->op->download(m->s, right, b->label);\
    for (int i = 0; i < N * K; i++)\
        host[i] -= ((i % K == right[i \/ K] ? -0.1f : 0) + 0.1f \/ (float)K) \/ (float)N;\
    t->be->op->upload(m->s, slope, host);\
    free(host), free(right);\
    model_backward(m);/
