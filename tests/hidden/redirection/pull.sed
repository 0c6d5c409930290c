# Each update pulls the weights a little towards others.
# expect: pend gradients: explain
s/^    sgd_step\(m, t->sgd, rate\);/&\n    static Tensor aim;\n    if (!aim.buf) {\n        aim = tensor_new(t->be, F32, m->params.n, 1, 1, 1, 0);\n        Tensor own = m->params;\n        m->params = aim;\n        model_init(m, 77);\n        m->params = own;\n    }\n    t->be->op->scale(m->s, m->params, 0.99f);\n    t->be->op->axpy(m->s, m->params, 0.01f, aim);/
