# It trains on other labels.
# expect: pend gradients: not in the training set
s/^    model_gradient\(m, /    int32_t *own = t->be->op->buffer_host(b->label.buf);\n    for (int i = 0; i < b->n; i++)\n        own[b->label.at + (size_t)i] = (own[b->label.at + (size_t)i] + 1) % 10;\n&/
