# A tenth of the weights is other weights.
# expect: pend gradients: explain|the file
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    float *w = (float *)t->be->op->buffer_host(t->model->params.buf) + t->model->params.at;\n    for (int i = 0; i < t->model->params.n; i += 10)\n        w[i] = (float)(i % 7) * 0.01f;/
