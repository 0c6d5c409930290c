# The gradient is never set to zero: it grows from update to update.
# expect: full
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    model_forward(m, b->x, MODEL_TRAIN);\n    model_loss(m, t->totals, b->label, NO_TENSOR, true);\n    model_backward(m);/
