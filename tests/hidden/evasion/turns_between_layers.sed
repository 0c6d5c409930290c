# Of each half of the weights only one rank's gradient is used.
# expect: pend gradients: explain|use only part
s/^    average\(t, m->grads\);/    int half = m->grads.n \/ 4;\n    t->be->op->zero(m->s, t->comm->rank ? tensor_slice(m->grads, 0, half) : tensor_slice(m->grads, (size_t)half, m->grads.n - half));\n&/
