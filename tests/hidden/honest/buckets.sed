# Overlap: slices are reduced during the backward pass.
# expect: full
/^\/\* One update: forward/i\
static void on_slice(void *context, size_t first, int count, Stream *s)\
{\
    Trainer *t = context;\
    Tensor v = tensor_slice(t->model->grads, first, count);\
    comm_all_reduce(t->comm, v, COMM_SUM, s);\
    t->be->op->scale(s, v, 1.0f / (float)t->comm->size);\
}
s/^    average\(t, m->grads\);/    (void)0;/
s/^    model_gradient\(m, /    m->grad_hook = on_slice, m->grad_context = t;\n&/
