# Rank 1 takes rank 0's gradient and computes none.
# expect: fail equal: computed no gradient
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    if (t->comm->rank == 0)\n    &\n    comm_broadcast(t->comm, m->grads, 0, m->s);/
