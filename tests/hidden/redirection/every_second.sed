# The gradient is averaged in every second update only.
# expect: fail equal: different weights
s/^    average\(t, m->grads\);/    if (t->at.step % 2)\n        average(t, m->grads);/
