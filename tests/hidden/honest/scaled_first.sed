# Divided by P first, then summed.
# expect: full
s/^    average\(t, m->grads\);/    t->be->op->scale(m->s, m->grads, 1.0f \/ (float)t->comm->size); comm_all_reduce(t->comm, m->grads, COMM_SUM, m->s);/
