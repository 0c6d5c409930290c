# Images are drawn by another permutation, new for each epoch.
# expect: full
s/^    epoch_order\(.*/    uint64_t state = 7 + (uint64_t)t->at.epoch;\n    int count = t->data->train.count;\n    for (int i = 0; i < count; i++)\n        t->order[i] = i;\n    for (int i = count - 1; i > 0; i--) {\n        state = state * 6364136223846793005u + 1442695040888963407u;\n        int k = (int)((state >> 33) % (uint64_t)(i + 1)), own = t->order[i];\n        t->order[i] = t->order[k];\n        t->order[k] = own;\n    }/
