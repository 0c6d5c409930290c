# A sum in place of the mean: P times the rate, which is anybody's own choice.
# expect: full
s/^    t->be->op->scale\(t->model->s, v, 1\.0f .*/    if (v.n != t->model->grads.n)\n        t->be->op->scale(t->model->s, v, 1.0f \/ (float)t->comm->size);/
s/\.rate = o->rate \* t->comm->size/.rate = o->rate/
