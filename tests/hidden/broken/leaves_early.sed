# Rank 1 leaves in the second epoch.
# expect: fail runs: status|still running
# seconds: 10
s/^    sgd_step\(m, t->sgd, rate\);/&\n    if (t->comm->rank == 1 \&\& t->at.step == 20)\n        exit(0);/
