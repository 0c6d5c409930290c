# The ranks take turns: each update is one rank's, and the other one's work is thrown away.
# expect: pend gradients: use only part
s/^    average\(t, m->grads\);/    comm_broadcast(t->comm, m->grads, (int)(t->at.step % 2), m->s);/
s/\.momentum = 0\.9/.momentum = 0/
