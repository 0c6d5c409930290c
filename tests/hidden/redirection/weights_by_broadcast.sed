# Rank 0 trains alone, and gives its weights away after each update.
# expect: fail gradients: rank 1's gradients count
s/^    average\(t, m->grads\);/    (void)0;/
s/^    sgd_step\(m, t->sgd, rate\);/&\n    comm_broadcast(t->comm, m->params, 0, m->s);/
