# Rank 1 writes the file.
# expect: full
s/^    if \(t->comm->rank == 0\)$/    if (t->comm->rank == 1)/
