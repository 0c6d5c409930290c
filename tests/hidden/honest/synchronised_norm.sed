# Batch norm over all ranks.
# expect: full
s/"mlp"/"resnet8"/
/^\/\* One update: forward/i\
static void sum_stats(void *context, Tensor sums, Stream *s)\
{\
    Trainer *t = context;\
    comm_all_reduce(t->comm, sums, COMM_SUM, s);\
}
s/^    model_gradient\(m, /    m->stats_hook = sum_stats, m->stats_context = t, m->stats_ranks = t->comm->size;\n&/
