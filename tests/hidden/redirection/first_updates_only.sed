# Averaged for three updates, alone afterwards.
# expect: fail equal: different weights
s/^    average\(t, m->grads\);/    if (t->at.step < 3)\n        average(t, m->grads);/
