# Smoothed labels, by the library.
# expect: full
/^    model_init\(t->model, /a\
    t->model->smoothing = 0.1f;
