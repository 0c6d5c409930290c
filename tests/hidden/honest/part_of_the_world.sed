# Collectives on a communicator that comm_split made.
# expect: full
/^static void average/,/^\}/s/^    comm_all_reduce\(.*/    static Comm *own;\n    own = own ? own : comm_split(t->comm, 0, t->comm->rank);\n    comm_all_reduce(own, v, COMM_SUM, t->model->s);/
