# An all-reduce whose result nobody uses.
# expect: fail gradients: rank 1's gradients count
s/^    average\(t, m->grads\);/    Tensor kept = tensor_new(t->be, F32, m->grads.n, 1, 1, 1, 0); t->be->op->copy(m->s, kept, m->grads); average(t, m->grads); t->be->op->copy(m->s, m->grads, kept); comm_broadcast(t->comm, m->grads, 0, m->s); tensor_free(t->be, kept);/
