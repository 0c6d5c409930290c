# Stochastic weight averaging: the mean of every third update's weights in the last epoch.
# expect: full
/^\/\* One update: forward/i\
static double *sum;\
static int kept;\
\
static void follow(Trainer *t)\
{\
    int n = t->model->params.n;\
    float *w = host(t, t->model->params);\
    if (!sum)\
        sum = alloc((size_t)n, sizeof *sum);\
    for (int i = 0; i < n; i++)\
        sum[i] += w[i];\
    kept++;\
}\

/^    sgd_step\(m, t->sgd, rate\);/a\
    if (t->at.epoch == t->o->epochs - 1 && t->at.step % 3 == 0)\
        follow(t);
/^static void save/,/^}/{
/^    t->at\.batch = /a\
    float *w = host(t, t->model->params);\
    for (int i = 0; i < t->model->params.n && kept; i++)\
        w[i] = (float)(sum[i] / kept);
}
