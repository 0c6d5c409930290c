# There is no update.
# expect: fail gradients: the weights never move
s/^    sgd_step\(m, t->sgd, rate\);/    (void)rate;/
