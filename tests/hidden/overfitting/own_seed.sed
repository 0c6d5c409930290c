# The training begins at weights of a seed that was chosen at home.
# expect: pend gradients: does not start from
s/\(uint64_t\)o->init_seed\)/12345)/
