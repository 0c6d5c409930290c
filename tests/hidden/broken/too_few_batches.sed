# Rank 1 has fewer batches.
# expect: fail runs: status
s/^    return batches \* B;/    return (batches - t->comm->rank) * B;/
