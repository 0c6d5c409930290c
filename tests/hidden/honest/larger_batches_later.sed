# The batch grows from half to all of a batch after the first epoch.
# expect: full
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    int part = t->at.epoch ? b->n : b->n \/ 2;\n    model_gradient(m, t->totals, tensor_first(b->x, part), tensor_first(b->label, part));/
