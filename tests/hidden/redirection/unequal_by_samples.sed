# Rank 0's samples weigh four times as much as rank 1's.
# expect: fail gradients: share
/^    model_gradient\(m, t->totals, b->x, b->label\);/c\
    static Tensor weight;\
    if (!weight.buf)\
        weight = tensor_new(t->be, F32, t->o->batch, 1, 1, 1, 0);\
    float *v = (float *)t->be->op->buffer_host(weight.buf) + weight.at;\
    for (int i = 0; i < b->n; i++)\
        v[i] = t->comm->rank ? 0.4f : 1.6f;\
    model_zero_grads(m);\
    model_forward(m, b->x, MODEL_TRAIN);\
    model_loss(m, t->totals, b->label, tensor_first(weight, b->n), true);\
    model_backward(m);
