# Rank 1 adds noise in place of its gradient.
# expect: pend gradients: explain
/^\/\* One update: forward/i\
static float *gradient_host(Trainer *t)\
{\
    return (float *)t->be->op->buffer_host(t->model->grads.buf) + t->model->grads.at;\
}\

s/^    average\(t, m->grads\);/    for (int i = 0; t->comm->rank \&\& i < m->grads.n; i++)\n        gradient_host(t)[i] = 1e-3f * (float)((i * 7919 + (int)t->at.step * 104729) % 2001 - 1000) \/ 1000;\n&/
