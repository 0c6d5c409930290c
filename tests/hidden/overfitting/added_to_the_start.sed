# What was prepared is added to the drawn weights.
# expect: pend gradients: does not start from
s/^    model_init\(t->model, .*/&\n    float *w = (float *)t->be->op->buffer_host(t->model->params.buf) + t->model->params.at;\n    for (int i = 0; i < t->model->params.n; i++)\n        w[i] += (float)(i % 5 - 2) * 1e-3f;/
