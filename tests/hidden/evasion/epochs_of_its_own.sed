# Rank 1 takes the same images in reverse order, and calls it another epoch.
# expect: fail images: on more than one rank
s/ \+ t->comm->rank \* B;/;/
s/^    return batches \* B;/    for (int b = 0; t->comm->rank \&\& b < batches \/ 2; b++)\n        for (int i = 0; i < B; i++) {\n            int32_t *x = \&t->mine[b * B + i], *y = \&t->mine[(batches - 1 - b) * B + i], z = *x;\n            *x = *y;\n            *y = z;\n        }\n&/
s/loader_start\(t->train, t->mine, count, t->at.epoch\)/loader_start(t->train, t->mine, count, t->at.epoch + 100 * t->comm->rank)/
