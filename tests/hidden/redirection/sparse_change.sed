# A tenth of the weights is other weights.
# expect: pend gradients: explain|the file
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    float *w = host(t, t->model->params);\n    for (int i = 0; i < t->model->params.n; i += 10)\n        w[i] = (float)(i % 7) * 0.01f;/
