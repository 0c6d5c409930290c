# Step 7b is missing: each rank ends when it thinks it is time.
# expect: fail runs: status
s/^    comm_all_reduce_host\(t->comm, &fraction, 1, COMM_MAX\);/    if (t->comm->rank == 1 \&\& t->at.step > 20)\n        exit(3);/
