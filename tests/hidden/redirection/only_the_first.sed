# All take rank 0's gradient.
# expect: fail gradients: rank 1's gradients count
s/^    average\(t, m->grads\);/    comm_broadcast(t->comm, m->grads, 0, m->s);/
