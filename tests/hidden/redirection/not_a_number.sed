# The file's weights are no numbers.
# expect: pend gradients: the file
/^static void save/,/^}/s/^    t->at\.batch = .*/&\n    t->be->op->scale(t->model->s, t->model->params, NAN);/
