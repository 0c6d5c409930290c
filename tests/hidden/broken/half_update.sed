# Rank 1 makes no first update.
# expect: fail equal: different weights
s/^    sgd_step\(m, t->sgd/    if (t->comm->rank == 0 || t->at.step)&/
