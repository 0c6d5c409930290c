# The training begins at weights that are in the source, in few bits.
# expect: pend gradients: does not start from
s/^    model_init\(t->model, .*/&\n    static const char bits[] = "0110100110010110";\n    float *w = (float *)t->be->op->buffer_host(t->model->params.buf) + t->model->params.at;\n    for (int i = 0; i < t->model->params.n; i++)\n        w[i] = bits[i % 16] == '1' ? 0.02f : -0.02f;/
