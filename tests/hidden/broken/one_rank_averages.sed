# Only rank 0 averages batch norm's statistics: the trap of step 9.
# expect: fail runs: collective
s/^    if \(t->comm->rank == 0\)$/    if (t->comm->rank == 0)\n        average(t, t->totals);\n&/
