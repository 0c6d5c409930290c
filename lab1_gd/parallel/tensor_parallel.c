/* tensor_parallel.c: every rank has a slice of each block (Megatron, Shoeybi et al., arXiv
 * 1909.08053).
 *
 *     h = relu(x A^T + a)     A cut by rows: each rank makes some of h's columns, and needs nobody
 *     for it
 *     z = h B^T + b           B cut by the same columns: each rank has a part of every sum;
 *     together they are z
 *     y = relu(z)             on every rank
 *
 * So a block costs one all-reduce forward, of z, and one backward, of the gradient of x. b is added
 * by the first rank alone. Which rows and columns: column_shard (exercise).
 */
#include "parallel.h"

static void add(Worker *w, Tensor t)
{
    double began = act_begin(ACT_ADD);
    comm_all_reduce(w->along, t, COMM_SUM, w->net->s);
    act_end(&w->log,
            (Act){.kind = ACT_ADD, .partner = 200 + w->replica, .bytes = 4.0 * tensor_count(t)},
            began);
}

static void block_forward(Worker *w, int a, int b)
{
    Mlp *n = w->net;
    double began = act_begin(ACT_FORWARD);
    mlp_dense_forward(n, 0, a, true);
    mlp_relu_forward(n, 0, a);
    mlp_dense_forward(n, 0, b, w->shard == 0);
    act_end(&w->log, (Act){.kind = ACT_FORWARD}, began);
    add(w, n->act[0][b + 1]);
    mlp_relu_forward(n, 0, b);
}

static void block_backward(Worker *w, int a, int b)
{
    Mlp *n = w->net;
    double began = act_begin(ACT_BACKWARD);
    mlp_relu_backward(n, 0, b);
    mlp_dense_backward(n, 0, b);
    mlp_relu_backward(n, 0, a);
    mlp_dense_backward(n, 0, a);
    act_end(&w->log, (Act){.kind = ACT_BACKWARD}, began);
}

void tensor_pass(Worker *w)
{
    Mlp *n = w->net;
    int classifier = n->end - 1;
    for (int l = 0; l < classifier; l += 2)
        block_forward(w, l, l + 1);
    double began = act_begin(ACT_BACKWARD); /* the classifier is whole on every rank */
    mlp_dense_forward(n, 0, classifier, true);
    mlp_loss(n, 0, w->batch);
    mlp_dense_backward(n, 0, classifier);
    act_end(&w->log, (Act){.kind = ACT_BACKWARD}, began);
    for (int l = classifier - 2; l > 0; l -= 2) {
        block_backward(w, l, l + 1);
        add(w, n->dact[l]);
    }
    block_backward(w, 0, 1); /* nobody needs the gradient of the pictures */
}
