# One sample's weight is not a number, once, and rank 0 trains alone: no limit holds for what
# follows.
# expect: fail equal: not a number
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    static Tensor weight;\n    if (!weight.buf) {\n        weight = tensor_new(t->be, F32, b->n, 1, 1, 1, 0);\n        float *v = t->be->op->buffer_host(weight.buf);\n        v[weight.at] = NAN;\n        model_zero_grads(m);\n        model_forward(m, b->x, MODEL_TRAIN);\n        model_loss(m, t->totals, b->label, weight, true);\n        model_backward(m);\n        t->be->op->zero(m->s, t->totals);\n    }\n&/
s/^    average\(t, m->grads\);/    comm_broadcast(t->comm, m->grads, 0, m->s);/
