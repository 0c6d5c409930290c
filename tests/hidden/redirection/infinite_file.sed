# The file's weights are infinite.
# expect: fail weights: no file was written
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    float *w = (float *)t->be->op->buffer_host(t->model->params.buf) + t->model->params.at;\n    w[0] = INFINITY;/
