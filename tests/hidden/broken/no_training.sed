# It writes the weights that it began with, and ends.
# expect: fail equal: no rank computed a gradient
s/^    t->began = timer_now\(\);/    save(t);\n    return;\n&/
