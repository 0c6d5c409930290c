# Nesterov's momentum.
# expect: full
s/weight_decay, false\)/weight_decay, true)/
