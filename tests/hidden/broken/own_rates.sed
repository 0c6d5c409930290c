# The ranks disagree about the rate.
# expect: fail equal: after update .* different weights
s/^    sgd_step\(m, t->sgd, rate\);/    sgd_step(m, t->sgd, rate * (1 + 0.01 * t->comm->rank));/
