# The rate is far too high.
# expect: fail runs: diverged|status
s/^    sgd_step\(m, t->sgd, rate\);/    sgd_step(m, t->sgd, 1e30 * rate);/
