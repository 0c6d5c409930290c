/* tensor_parallel.c: every rank owns a slice of each block (Megatron, Shoeybi et al., arXiv
 * 1909.08053).
 *
 *     h = relu(x A^T + a)     A split by rows: each rank computes some columns of h on its own
 *     z = h B^T + b           B split by the same columns: each rank has a partial sum of z
 *     y = relu(z)             on every rank
 *
 * So a block costs one all-reduce forward, of z, and one backward, of the gradient of x. Only the
 * first rank adds b. column_shard decides the rows and columns (exercises/9b_column_shard.c).
 */
#include "parallel.h"

static void add(Worker *w, Tensor t)
{
    double began = event_begin(EVENT_ADD);
    comm_all_reduce(w->along, t, COMM_SUM, w->net->s);
    event_end(&w->log,
              (Event){.kind = EVENT_ADD,
                      .partner = 200 + w->replica,
                      .bytes = 4.0 * tensor_count(t)},
              began);
}

static void block_forward(Worker *w, int a, int b)
{
    Mlp *n = w->net;
    double began = event_begin(EVENT_FORWARD);
    mlp_dense_forward(n, 0, a, true);
    mlp_relu_forward(n, 0, a);
    mlp_dense_forward(n, 0, b, w->shard == 0);
    event_end(&w->log, (Event){.kind = EVENT_FORWARD}, began);
    add(w, n->act[0][b + 1]);
    mlp_relu_forward(n, 0, b);
}

static void block_backward(Worker *w, int a, int b)
{
    Mlp *n = w->net;
    double began = event_begin(EVENT_BACKWARD);
    mlp_relu_backward(n, 0, b);
    mlp_dense_backward(n, 0, b);
    mlp_relu_backward(n, 0, a);
    mlp_dense_backward(n, 0, a);
    event_end(&w->log, (Event){.kind = EVENT_BACKWARD}, began);
}

void tensor_pass(Worker *w)
{
    Mlp *n = w->net;
    int classifier = n->end - 1;
    for (int l = 0; l < classifier; l += 2)
        block_forward(w, l, l + 1);
    double began = event_begin(EVENT_BACKWARD); /* the classifier is complete on every rank */
    mlp_dense_forward(n, 0, classifier, true);
    mlp_loss(n, 0, w->batch);
    mlp_dense_backward(n, 0, classifier);
    event_end(&w->log, (Event){.kind = EVENT_BACKWARD}, began);
    for (int l = classifier - 2; l > 0; l -= 2) {
        block_backward(w, l, l + 1);
        add(w, n->dact[l]);
    }
    block_backward(w, 0, 1); /* the images need no gradient */
}
