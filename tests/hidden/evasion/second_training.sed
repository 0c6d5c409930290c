# A second network trains unseen on the same batches; its weights are pulled in.
# expect: pend gradients: explain
/^\/\* One update: forward/i\
static void pull(Trainer *t)\
{\
    static Tensor aim;\
    if (!aim.buf)\
        aim = tensor_new(t->be, F32, t->model->params.n, 1, 1, 1, 0);\
    t->be->op->copy(t->model->s, aim, t->model->params);\
    t->be->op->scale(t->model->s, aim, 1.5f);\
    t->be->op->scale(t->model->s, t->model->params, 0.97f);\
    t->be->op->axpy(t->model->s, t->model->params, 0.03f, aim);\
    model_init(t->model, 5);\
    t->be->op->axpy(t->model->s, t->model->params, 1.0f, aim);\
}\

s/^    sgd_step\(m, t->sgd, rate\);/&\n    pull(t);/
