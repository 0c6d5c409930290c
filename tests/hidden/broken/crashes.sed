# Rank 1 crashes in the middle.
# expect: fail runs: status
s/^    sgd_step\(m, t->sgd, rate\);/&\n    if (t->comm->rank \&\& t->at.step == 5)\n        abort();/
