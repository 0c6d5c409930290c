# It calls what is not there.
# expect: fail builds: the linker says
s/^    sgd_step\(m, t->sgd, rate\);/    sgd_leap(m);/
