# A test of learning rates, after which only the weights are put back: the velocity is forgotten.
# expect: full
/^    sgd_step\(m, t->sgd, rate\);/a\
    if (t->at.step == 11)\
        t->be->op->copy(m->s, m->params, begun);
/^    sgd_step\(m, t->sgd, rate\);/i\
    static Tensor begun;\
    if (!begun.buf) {\
        begun = tensor_new(t->be, F32, m->params.n, 1, 1, 1, 0);\
        t->be->op->copy(m->s, begun, m->params);\
    }\
    if (t->at.step < 12)\
        rate = 1e-3 * pow(1.6, (double)t->at.step);
