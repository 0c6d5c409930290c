# Two batches on each rank for an update.
# expect: full
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    if (t->at.step % 2 == 0)\n        model_zero_grads(m);\n    model_forward(m, b->x, MODEL_TRAIN);\n    model_loss(m, t->totals, b->label, NO_TENSOR, true);\n    model_backward(m);\n    t->at.position += global_batch(t);\n    if (t->at.step++ % 2 == 0)\n        return;\n    t->be->op->scale(m->s, m->grads, 0.5f);/
/^    sgd_step\(m, t->sgd, rate\);/{n;d}
/^    t->at\.step\+\+;/d
