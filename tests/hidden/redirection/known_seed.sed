# It starts from a seed of its own choice.
# expect: pend gradients: does not start from
s/^    model_init\(t->model, \(uint64_t\)o->init_seed\);/    model_init(t->model, 77);/
