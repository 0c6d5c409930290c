# The update uses the last gradient of rank 1.
# after: honest/one_update_late
# expect: pend gradients: explain
s/^    static float \*last;/    if (t->comm->rank == 0)\n        return;\n&/
s/average\(t, m->grads\); delay\(t\);/delay(t); average(t, m->grads);/
