# Each rank updates alone, then the weights are averaged, in every update.
# expect: full
s/^    average\(t, m->grads\);/    (void)0;/
s/^    sgd_step\(m, t->sgd, rate\);/&\n    average(t, m->params);/
