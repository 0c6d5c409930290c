# Rank 1's gradient is zero, and Adam does not see how long the mean is.
# expect: fail gradients: times the ranks' average
/^\/\* One update: forward/i\
static void adam(Trainer *t, double rate)\
{\
    static float *mean, *square;\
    static int steps;\
    int n = t->model->grads.n;\
    float *g = (float *)t->be->op->buffer_host(t->model->grads.buf) + t->model->grads.at;\
    float *w = (float *)t->be->op->buffer_host(t->model->params.buf) + t->model->params.at;\
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
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    static Tensor weight;\n    if (!weight.buf) {\n        weight = tensor_new(t->be, F32, b->n, 1, 1, 1, 0);\n        float *v = t->be->op->buffer_host(weight.buf);\n        for (int i = 0; i < b->n; i++)\n            v[weight.at + (size_t)i] = t->comm->rank ? 0 : 1;\n    }\n    model_zero_grads(m);\n    model_forward(m, b->x, MODEL_TRAIN);\n    model_loss(m, t->totals, b->label, weight, true);\n    model_backward(m);/
