# Rank 1 has another rate.
# expect: fail equal: different weights
s/^    sgd_step\(m, t->sgd, rate\);/    sgd_step(m, t->sgd, rate * (1 + t->comm->rank));/
