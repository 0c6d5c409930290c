# It trains, and at the end replaces the weights by others, with one more update.
# expect: pend gradients: explain
s/^    sgd_step\(m, t->sgd, rate\);/&\n    if (t->at.step == 30)\n        model_init(m, 77);/
