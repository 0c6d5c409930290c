# The batch grows from one to two batches after the first epoch.
# expect: full
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    bool whole = t->at.epoch == 0, first = whole || t->at.step % 2 == 0;\n    if (first)\n        model_zero_grads(m);\n    model_forward(m, b->x, MODEL_TRAIN);\n    model_loss(m, t->totals, b->label, NO_TENSOR, true);\n    model_backward(m);\n    if (!whole \&\& first) {\n        t->at.position += global_batch(t);\n        t->at.step++;\n        return;\n    }\n    if (!whole)\n        t->be->op->scale(m->s, m->grads, 0.5f);/
