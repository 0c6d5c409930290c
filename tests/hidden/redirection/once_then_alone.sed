# The first gradient is averaged, then each rank trains alone.
# expect: fail equal: after update .* different weights
s/^    average\(t, m->grads\);/    if (t->at.step == 0)\n    &/
