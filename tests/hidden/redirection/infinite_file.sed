# The file's weights are infinite.
# expect: fail weights: no file was written
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    float *w = host(t, t->model->params);\n    w[0] = INFINITY;/
