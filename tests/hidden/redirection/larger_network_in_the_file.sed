# The file holds a larger network, which has the trained one's tensors, and more.
# expect: fail gradients: no file with
s/"mlp"/"resnet8"/
/^static void save/,/^}/s/checkpoint_save\(path, t->model, NULL, &t->at\);/{\n        ModelSpec larger = t->model->spec;\n        larger.name = "resnet14";\n        Model *m = model_new(t->be, \&larger, 1);\n        model_init(m, 5);\n        for (int i = 0; i < t->model->nviews; i++)\n            for (int k = 0; k < m->nviews; k++)\n                if (!strcmp(m->views[k].name, t->model->views[i].name))\n                    t->be->op->copy(m->s, tensor_slice(m->params, m->views[k].at, m->views[k].count), tensor_slice(t->model->params, t->model->views[i].at, t->model->views[i].count));\n        checkpoint_save(path, m, NULL, \&t->at);\n    }/
