# An all-reduce with MAX.
# expect: pend gradients: gradients explain
s/comm_all_reduce\(t->comm, v, COMM_SUM, t->model->s\);/comm_all_reduce(t->comm, v, v.n == t->model->grads.n ? COMM_MAX : COMM_SUM, t->model->s);/
