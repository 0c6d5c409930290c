# All update with the last mean gradient.
# expect: pend gradients: explain
/^\/\* One update: forward/i\
static void behind(Trainer *t)\
{\
    static Tensor last, now;\
    Model *m = t->model;\
    if (!last.buf) {\
        last = tensor_new(t->be, F32, m->grads.n, 1, 1, 1, 0);\
        now = tensor_new(t->be, F32, m->grads.n, 1, 1, 1, 0);\
    }\
    t->be->op->copy(m->s, now, m->grads);\
    t->be->op->copy(m->s, m->grads, last);\
    t->be->op->copy(m->s, last, now);\
}\

s/^    average\(t, m->grads\);/&\n    behind(t);/
