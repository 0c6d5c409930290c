# Each rank keeps its own part of the images in all epochs.
# expect: full
s/^        int64_t first = .*/        int64_t first = (int64_t)b * B;/
s/^        memcpy\(t->mine.*/        int part = t->data->train.count \/ t->comm->size;\n        for (int i = 0; i < B; i++)\n            t->mine[(int64_t)b * B + i] = (int)((first + i + 17 * t->at.epoch) % part) + t->comm->rank * part;/
s/^    epoch_order\(.*//
