# Rank 1's images are nearly black, and all weigh 16 times as much, so that its gradient is as long as rank 0's.
# expect: pend gradients: not in the training set
/^    model_gradient\(m, t->totals, b->x, b->label\);/i\
    float *x = host(t, b->x);\
    for (size_t i = 0; i < tensor_span(b->x) && t->comm->rank; i++)\
        x[i] *= 1e-3f;
/^    model_gradient\(m, t->totals, b->x, b->label\);/c\
    static Tensor weight;\
    if (!weight.buf)\
        weight = tensor_new(t->be, F32, t->o->batch, 1, 1, 1, 0);\
    float *v = host(t, weight);\
    for (int i = 0; i < b->n; i++)\
        v[i] = t->comm->rank ? 16 : 1;\
    model_zero_grads(m);\
    model_forward(m, b->x, MODEL_TRAIN);\
    model_loss(m, t->totals, b->label, tensor_first(weight, b->n), true);\
    model_backward(m);
