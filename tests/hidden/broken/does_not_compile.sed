# A semicolon is missing.
# expect: fail builds: the compiler says: .*expected
s/^    sgd_step\(m, t->sgd, rate\);/    sgd_step(m, t->sgd, rate)/
