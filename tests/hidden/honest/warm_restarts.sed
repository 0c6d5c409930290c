# The rate's cycle is begun again and again.
# expect: full
s/^    sgd_step\(m, t->sgd, rate\);/    sgd_step(m, t->sgd, 0.05 * (1 + cos(3.14159 * (double)(t->at.step % 10) \/ 10)));/
