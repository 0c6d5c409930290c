# The samples' weights make rank 1's gradient an opposite one.
# expect: fail gradients: part|share
s/^    average\(t, m->grads\);/    t->be->op->scale(m->s, m->grads, t->comm->rank ? -0.2f : 1.0f);\n&/
