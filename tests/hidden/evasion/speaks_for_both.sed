# One process computes all gradients, and says that some are rank 1's.
# expect: pend equal: one process sends evidence as ranks
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    for (int r = 0; r < 2; r++) {\n        setenv("OMPI_COMM_WORLD_RANK", r ? "1" : "0", 1);\n    &\n    }/
s/^    stop_on_signals\(\);/    if (atoi(getenv("OMPI_COMM_WORLD_RANK")))\n        unsetenv("LABS_EVIDENCE");\n&/
