# The last layer's biases are set to prepared numbers before the file is written.
# expect: pend gradients: the file|explain
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    float *w = host(t, t->model->params);\n    for (int i = 1; i <= 10; i++)\n        w[t->model->params.n - i] = (float)i;/
