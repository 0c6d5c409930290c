# Rank 1's gradient counts in the first quarter only.
# expect: fail gradients: part|share
s/^    average\(t, m->grads\);/    if (t->at.step < 10)\n        average(t, m->grads);\n    else\n        comm_broadcast(t->comm, m->grads, 0, m->s);/
