# Rank 1's gradient is zero, and Adam does not see how long the mean is.
# after: honest/own_adam
# expect: fail gradients: times the ranks' average
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    static Tensor weight;\n    if (!weight.buf) {\n        weight = tensor_new(t->be, F32, b->n, 1, 1, 1, 0);\n        float *v = t->be->op->buffer_host(weight.buf);\n        for (int i = 0; i < b->n; i++)\n            v[weight.at + (size_t)i] = t->comm->rank ? 0 : 1;\n    }\n    model_zero_grads(m);\n    model_forward(m, b->x, MODEL_TRAIN);\n    model_loss(m, t->totals, b->label, weight, true);\n    model_backward(m);/
