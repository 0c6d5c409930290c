# Rank 0's gradient counts four times as much.
# expect: fail gradients: their equal share
s/^    average\(t, m->grads\);/    t->be->op->scale(m->s, m->grads, t->comm->rank ? 0.4f : 1.6f); average(t, m->grads);/
