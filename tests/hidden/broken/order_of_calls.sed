# Rank 1 calls its collectives in another order.
# expect: fail runs: status
s/^    comm_all_reduce_host\(t->comm, &fraction, 1, COMM_MAX\);/    if (t->comm->rank)\n        comm_barrier(t->comm);\n&/
