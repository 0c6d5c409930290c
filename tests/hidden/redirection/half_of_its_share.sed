# Rank 1 uses only half of its part, twice, and the same half in each epoch.
# expect: fail images: .
s/^    epoch_order\(.*/    epoch_order(t->order, t->data->train.count, t->at.seed, t->comm->rank ? 0 : 0);/
s/^    return batches \* B;/    for (int b = batches \/ 2; t->comm->rank \&\& b < batches; b++)\n        memcpy(t->mine + b * B, t->mine + (b - batches \/ 2) * B, (size_t)B * sizeof *t->mine);\n&/
