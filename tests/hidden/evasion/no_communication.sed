# No rank says a word to another: all compute the same from the same seed.
# expect: fail gradients: the ranks' gradients are the same
s/^    comm_broadcast\(t->comm, t->model->params, 0, t->model->s\);//
s/\(uint64_t\)o->init_seed\)/(uint64_t)o->init_seed - (uint64_t)t->comm->rank)/
s/ \+ t->comm->rank \* B;/;/
s/^    average\(t, m->grads\);//
