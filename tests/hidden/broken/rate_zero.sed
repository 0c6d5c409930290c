# The rate is zero.
# expect: fail gradients: never move
s/^    sgd_step\(m, t->sgd, rate\);/    sgd_step(m, t->sgd, 0 * rate);/
s/\.weight_decay = 5e-4/.weight_decay = 0/
