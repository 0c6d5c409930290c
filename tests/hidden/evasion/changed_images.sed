# It changes the loader's batch.
# expect: pend gradients: not in the training set
s/^    model_gradient\(m, /    float *own = t->be->op->buffer_host(b->x.buf);\n    for (int i = 0; i < 4000; i++)\n        own[b->x.at + 5000 + (size_t)i] = 0;\n&/
