# Ghost batch norm.
# expect: full
s/"mlp"/"resnet8"/; s/\.classes = t->data->classes\}/.classes = t->data->classes, .ghost = 16}/
