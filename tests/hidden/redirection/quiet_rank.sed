# Rank 1's gradient is made a hundred times smaller.
# expect: fail gradients: their equal share
s/^    average\(t, m->grads\);/    if (t->comm->rank)\n        t->be->op->scale(m->s, m->grads, 0.01f);\n&/
