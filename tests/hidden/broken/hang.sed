# Only rank 0 averages batch norm's statistics: the trap of step 9, made a hang.
# expect: fail runs: still running
# seconds: 8
s/^    if \(t->comm->rank == 0\)$/    if (t->comm->rank == 0)\n        average(t, t->totals);\n&/
s/COMM_SUM, t->model->s\);/COMM_SUM, t->model->s); t->be->op->stream_sync(t->model->s);/
