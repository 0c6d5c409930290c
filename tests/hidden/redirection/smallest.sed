# Of each two gradients' elements the smaller one.
# expect: pend gradients: explain
/^\/\* One update: forward/i\
static void least(Trainer *t)\
{\
    Tensor v = t->model->grads;\
    t->be->op->scale(t->model->s, v, -1);\
    comm_all_reduce(t->comm, v, COMM_MAX, t->model->s);\
    t->be->op->scale(t->model->s, v, -1);\
}
s/^    average\(t, m->grads\);/    least(t);/
