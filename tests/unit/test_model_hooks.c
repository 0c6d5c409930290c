/* test_model_hooks.c: ghost batch norm is the pieces of the batch, each by itself; the hook between
 * the halves of a batch norm; the hook that announces gradients, and the one that hands out
 * what a layer's backward pass works on.
 */
#include "check.h"
#include "net.h"
#include <math.h>
#include <stdlib.h>

/* ---- ghost batch norm: pieces of the batch, each by itself ---- */

/* Returns how far the gradients are apart. */
static double ghost_batch(Device *d, const char *name, int N, int ghost, uint32_t seed)
{
    ModelSpec plain = small_spec(name), split = plain;
    split.ghost = ghost;
    Net n = net_new(d->be, &split, N + 1, N, seed);
    size_t count = tensor_count(n.m->params);
    double *expected = zeros(count), *stats = zeros(tensor_count(n.m->state)), loss = 0;
    int groups = (N + ghost - 1) / ghost;
    for (int g = 0; g < groups; g++) {
        int size = g < groups - 1 ? ghost : N - g * ghost;
        Net piece = net_new(d->be, &plain, ghost, ghost, 5);
        net_take(&piece, &n, g * ghost, size);
        loss += net_gradient(&piece) * size / N;
        double *grads = fetch_double(&piece, piece.m->grads);
        net_loss(&piece, MODEL_TRAIN);
        double *moved = fetch_double(&piece, piece.m->state);
        for (size_t i = 0; i < count; i++)
            expected[i] += grads[i] * size / N;
        for (size_t i = 0; i < tensor_count(n.m->state); i++)
            stats[i] += moved[i] / groups; /* one update by the groups' average = the average of
                                            * the groups' updates */
    }
    expect_close(net_gradient(&n), loss, 0, 1e-5, "loss with ghost batch norm");
    double apart = net_apart(&n, n.m->grads, expected);
    net_loss(&n, MODEL_TRAIN);
    expect_vector(&n, n.m->state, stats, 1e-5, "running statistics with ghost batch norm");
    return apart;
}

static void ghost_case(Device *d, const char *name, int N, int ghost)
{
    int near = 0;
    double apart[NET_BATCHES];
    for (int i = 0; i < NET_BATCHES; i++)
        near += (apart[i] = ghost_batch(d, name, N, ghost, 3 + (uint32_t)i)) <= 2e-5;
    if (near < NET_AGREE)
        fail_msg("%s: gradients with ghost batch norm are apart: %.3g, %.3g, %.3g", name, apart[0],
                 apart[1], apart[2]);
}

DEVICE_TEST(ghost_pieces)
{
    for (int i = NORMS; i < NORMS_END; i++) {
        ghost_case(d, model_kinds[i], 7, 3); /* 3, 3 and 1 */
        ghost_case(d, model_kinds[i], 4, 9); /* one group */
    }
}

/* ---- hooks ---- */

typedef struct Tally {
    int calls, groups;
    const BackendOps *op;
    double factor;
} Tally;

/* As an all-reduce of the sums over `factor` ranks with the same batch. */
static void multiply_sums(void *context, Tensor sums, Stream *s)
{
    Tally *t = context;
    size_t count = tensor_count(sums);
    assert_int_equal(sums.dtype, F64);
    assert_int_equal(sums.h, 2);
    t->calls++;
    t->groups = sums.n;
    double *v = keep(alloc(count, sizeof *v));
    t->op->download(s, v, sums);
    for (size_t i = 0; i < count; i++)
        v[i] *= t->factor;
    t->op->upload(s, sums, v);
    t->op->stream_sync(s);
}

/* Three ranks that hold the same batch have the same statistics and gradients as one; the hook
 * comes once per batch norm and pass. */
DEVICE_TEST(stats_hook)
{
    for (int i = 0; i < KINDS; i++)
        for (int ghost = 0; ghost < 3; ghost += 2) {
            ModelSpec s = small_spec(model_kinds[i]);
            s.ghost = ghost;
            Net n = net_new(d->be, &s, 6, 5, 3);
            double alone = net_gradient(&n), *expected = fetch_double(&n, n.m->grads);
            Tally tally = {0, 0, d->op, 3};
            n.m->stats_hook = multiply_sums, n.m->stats_context = &tally, n.m->stats_ranks = 3;
            int norms = 0;
            for (int l = 0; l < n.m->nlayers; l++)
                norms += n.m->layers[l].kind == LAYER_BATCHNORM;
            expect_close(net_gradient(&n), alone, 0, 1e-5, "loss with three equal ranks");
            expect_vector(&n, n.m->grads, expected, 1e-5, "gradient with three equal ranks");
            assert_int_equal(tally.calls, 2 * norms);
            assert_true(!norms || tally.groups == (ghost ? 3 : 1));
            net_loss(&n, MODEL_EVAL);
            assert_int_equal(tally.calls, 2 * norms); /* evaluation has nothing to synchronise */
        }
}

typedef struct Slices {
    Net *n;
    size_t next;
    int calls;
    float *seen;
} Slices;

/* Slices go down from the end without gap or overlap; keep their elements at this moment. */
static void take_slice(void *context, size_t first, int count, Stream *s)
{
    Slices *c = context;
    assert_true(count > 0);
    assert_int_equal(first + count, c->next);
    c->next = first;
    c->calls++;
    c->n->op->download(s, c->seen + first, tensor_slice(c->n->m->grads, first, count));
}

DEVICE_TEST(grad_hook)
{
    for (int i = 0; i < KINDS; i++)
        for (int bits = 0; bits < 4; bits++) {
            ModelSpec s = small_spec(model_kinds[i]);
            s.no_skip = bits & 1, s.no_batchnorm = bits & 2;
            Net n = net_new(d->be, &s, 4, 4, 3);
            size_t count = tensor_count(n.m->params);
            Slices c = {&n, count, 0, keep(alloc(count, sizeof(float)))};
            n.m->grad_hook = take_slice, n.m->grad_context = &c;
            net_gradient(&n);
            float *final = fetch(&n, n.m->grads);
            assert_int_equal(c.next, 0);
            assert_true(c.calls > 1 || i == 0); /* more than one, or nothing could overlap */
            expect_bits(c.seen, final, count, "gradient when announced, and at the end");
        }
}

/* ---- the hook that hands out a layer's x and dy ---- */

typedef struct Handed {
    Net *n;
    int next, dense; /* the layer that must come; dense layers so far */
    int silenced;    /* the layer whose dy the hook sets to 0; -1: none */
} Handed;

/* A dense layer's dW and dbias, from x [N,D] and dy [N,K] alone, against what is then in grads; N
 * also counts positions. */
static void expect_product(const Handed *h, int layer, const float *x, const float *dy,
                           const double *grads)
{
    const Layer *l = &h->n->m->layers[layer];
    const View *w = &h->n->m->views[l->w], *b = &h->n->m->views[l->b];
    int K = w->shape[0], D = w->shape[1];
    for (int k = 0; k < K; k++)
        for (int d = -1; d < D; d++) {
            double sum = 0;
            for (int n = 0; n < h->n->N * model_positions(h->n->m); n++)
                sum += (double)dy[n * K + k] * (d < 0 ? 1 : x[n * D + d]);
            expect_close(grads[d < 0 ? b->at + k : w->at + (size_t)k * D + d], sum, 1e-5, 1e-4,
                         "dense gradient from x and dy");
        }
}

static float *kept[64][2]; /* of each dense layer: x, dy */

static void take_tensors(void *context, int layer, Tensor x, Tensor dy, Stream *s)
{
    Handed *h = context;
    const Layer *l = &h->n->m->layers[layer];
    assert_int_equal(layer, h->next--);
    assert_int_equal(x.n, h->n->N);
    assert_int_equal(dy.n, h->n->N);
    if (layer == h->silenced)
        h->n->op->zero(s, dy);
    if (l->kind != LAYER_DENSE)
        return;
    assert_int_equal(tensor_count(dy), h->n->N * model_positions(h->n->m) * l->out);
    h->dense++;
    kept[layer][0] = keep(alloc(tensor_count(x), sizeof(float)));
    kept[layer][1] = keep(alloc(tensor_count(dy), sizeof(float)));
    h->n->op->download(s, kept[layer][0], x);
    h->n->op->download(s, kept[layer][1], dy);
}

/* What the hook gets of dense layers makes their gradients; and it comes once per layer. */
DEVICE_TEST(tensor_hook)
{
    for (int i = 0; i < KINDS; i++) {
        ModelSpec s = small_spec(model_kinds[i]);
        Net n = net_new(d->be, &s, 4, 3, 3);
        net_gradient(&n);
        float *plain = fetch(&n, n.m->grads);
        Handed h = {&n, n.m->nlayers - 1, 0, -1};
        n.m->tensor_hook = take_tensors, n.m->tensor_context = &h;
        net_gradient(&n);
        float *with = fetch(&n, n.m->grads);
        double *grads = fetch_double(&n, n.m->grads);
        expect_bits(plain, with, tensor_count(n.m->grads), "gradient with a hook that only looks");
        assert_int_equal(h.next, -1);
        assert_true(h.dense > 0);
        for (int l = 0; l < n.m->nlayers; l++)
            if (n.m->layers[l].kind == LAYER_DENSE && n.m->layers[l].w >= 0)
                expect_product(&h, l, kept[l][0], kept[l][1], grads);
    }
}

/* A dy that the hook sets to 0 leaves that layer, and all below, without a gradient. */
DEVICE_TEST(tensor_hook_changes)
{
    ModelSpec s = small_spec("mlp");
    Net n = net_new(d->be, &s, 4, 4, 3);
    int last = n.m->nlayers - 1, middle = last;
    do
        middle--;
    while (n.m->layers[middle].kind != LAYER_DENSE);
    Handed h = {&n, last, 0, middle};
    n.m->tensor_hook = take_tensors, n.m->tensor_context = &h;
    net_gradient(&n);
    float *g = fetch(&n, n.m->grads);
    size_t first = n.m->views[n.m->layers[last].w].at;
    double below = 0, above = 0;
    for (size_t i = 0; i < tensor_count(n.m->grads); i++)
        *(i < first ? &below : &above) += fabs(g[i]);
    assert_true(below == 0);
    assert_true(above > 0);
}
