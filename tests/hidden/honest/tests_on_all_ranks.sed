# Each rank tests all validation images, every third update, too.
# expect: full
s/^    int first = .*/    int first = 0, end = (int)count;\n    (void)r, (void)P;/
s/^        train_step\(t, &b, rate\);/&\n        if (t->at.step % 9 == 0)\n            test(t);/
