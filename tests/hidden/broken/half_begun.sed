# When the weights are written, rank 0 begins an update more, which rank 1 never joins.
# expect: only fail runs: late|still running
# seconds: 12
s/^static void train_step\(Trainer \*t, const Batch \*b, double rate\)$/static Batch last;\n&/
s/^    model_gradient\(m, t->totals, b->x, b->label\);/    last = *b;\n&/
s/^    finish\(&t\);/    if (t.comm->rank == 0)\n        model_gradient(t.model, t.totals, last.x, last.label);\n    while (timer_now() - t.born < t.o->budget + 1)\n        ;\n&/
