# Decoupled weight decay, and warm restarts of the momentum.
# expect: full
s/^    sgd_step\(m, t->sgd, rate\);/&\n    t->be->op->scale(m->s, m->params, 1 - 1e-3f);\n    if (t->at.step % 10 == 9)\n        t->be->op->zero(m->s, t->sgd->velocity);/
