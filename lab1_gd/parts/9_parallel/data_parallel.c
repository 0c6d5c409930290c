/* data_parallel.c: every rank has the whole network and its own slice of the batch; then the
 * gradients are summed. mlp_loss has divided by the size of the whole batch, so the sum is the mean
 * over all images.
 */
#include "parallel.h"

void whole_pass(Worker *w)
{
    Mlp *n = w->net;
    double began = event_begin(EVENT_FORWARD);
    mlp_forward(n, 0);
    event_end(&w->log, (Event){.kind = EVENT_FORWARD}, began);
    began = event_begin(EVENT_BACKWARD);
    mlp_loss(n, 0, w->batch);
    mlp_backward(n, 0);
    event_end(&w->log, (Event){.kind = EVENT_BACKWARD}, began);
}

void data_sum(Worker *w)
{
    double began = event_begin(EVENT_ADD), bytes = 4.0 * w->net->grads.n;
    comm_all_reduce(w->across, w->net->grads, COMM_SUM, w->net->s);
    event_end(&w->log,
              (Event){.kind = EVENT_ADD, .partner = 100 + w->stage + w->shard, .bytes = bytes},
              began);
}
