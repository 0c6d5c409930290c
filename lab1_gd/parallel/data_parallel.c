/* data_parallel.c: every rank has the whole network and its own part of the batch; then the
 * gradients are added. The loss's gradient was divided by the size of the whole batch (mlp_loss),
 * so their sum is the mean over all pictures.
 */
#include "parallel.h"

void whole_pass(Worker *w)
{
    Mlp *n = w->net;
    double began = act_begin(ACT_FORWARD);
    mlp_forward(n, 0);
    act_end(&w->log, (Act){.kind = ACT_FORWARD}, began);
    began = act_begin(ACT_BACKWARD);
    mlp_loss(n, 0, w->batch);
    mlp_backward(n, 0);
    act_end(&w->log, (Act){.kind = ACT_BACKWARD}, began);
}

void data_sum(Worker *w)
{
    double began = act_begin(ACT_ADD), bytes = 4.0 * w->net->grads.n;
    comm_all_reduce(w->across, w->net->grads, COMM_SUM, w->net->s);
    act_end(&w->log, (Act){.kind = ACT_ADD, .partner = 100 + w->stage + w->shard, .bytes = bytes},
            began);
}
