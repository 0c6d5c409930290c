# A first training, which says nothing, prepares the weights that a second one begins with.
# expect: pend gradients: does not start from
s/^    t->began = timer_now\(\);/&\n    static bool told;\n    if (!told) {\n        Model *m = t->model;\n        for (int i = 0; i < m->params.n; i++)\n            ((float *)t->be->op->buffer_host(m->params.buf))[m->params.at + (size_t)i] *= 0.9f;\n        told = true;\n    }/
