# The sum in place of the mean: the same as a higher rate, and no mistake in sharing.
# expect: full
/^static void average/,/^}/s/^    t->be->op->scale\(.*/    (void)0;/
