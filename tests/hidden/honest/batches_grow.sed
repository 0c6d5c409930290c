# Twice as many images for an update in the second half.
# expect: full
s/^    average\(t, m->grads\);/&\n    static Tensor kept;\n    static bool waits;\n    if (!kept.buf)\n        kept = tensor_new(t->be, F32, m->grads.n, 1, 1, 1, 0);\n    if (t->at.step > 20 \&\& !waits) {\n        t->be->op->copy(m->s, kept, m->grads);\n        waits = true;\n        t->at.step++;\n        return;\n    }\n    if (waits) {\n        t->be->op->axpy(m->s, m->grads, 1.0f, kept);\n        t->be->op->scale(m->s, m->grads, 0.5f);\n        waits = false;\n    }/
