# Weights from elsewhere at the start.
# expect: pend gradients: does not start from
s/model_init\(t->model, .*/model_init(t->model, 4242);/
