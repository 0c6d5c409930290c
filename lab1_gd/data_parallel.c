/* data_parallel.c: every rank has the whole network and its own part of the batch; then the gradients are added. The loss's
 * gradient was divided by the size of the whole batch (mlp_loss), so their sum is the mean over all pictures.
 */
#include "parallel.h"

void whole_pass(Worker *w)
{
    Mlp *n = w->net;
    double began = act_begin(ACT_FORWARD);
    mlp_forward(n, 0);
    act_end(&w->log, ACT_FORWARD, 0, 0, began);
    began = act_begin(ACT_BACKWARD);
    mlp_loss(n, 0, w->batch);
    mlp_backward(n, 0);
    act_end(&w->log, ACT_BACKWARD, 0, 0, began);
}

void data_sum(Worker *w)
{
    double began = act_begin(ACT_ADD);
    comm_all_reduce(w->across, w->net->grads, COMM_SUM, w->net->s);
    act_end(&w->log, ACT_ADD, 0, 100 + w->stage + w->shard, began);
}
