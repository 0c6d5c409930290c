# An update by half of each batch before that by all of it, for an epoch less.
# expect: fail images: an update takes 48 images
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    model_gradient(m, t->totals, tensor_first(b->x, b->n \/ 2), tensor_first(b->label, b->n \/ 2));\n    average(t, m->grads);\n    sgd_step(m, t->sgd, rate);\n&/
s/^    args_parse\(.*/&\n    o->epochs -= 1;/
