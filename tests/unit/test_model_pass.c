/* test_model_pass.c: a network at work: its three modes, ghost and synchronised batch norm, the hooks, short batches, weights per sample,
 * the same bits twice, and learning. Gradients: test_model_gradient.c.
 */
#include "check.h"
#include "net.h"
#include "optim.h"
#include <math.h>
#include <string.h>

static ModelSpec spec_of(const char *name) { return (ModelSpec){.name = name, .h = 9, .w = 8, .c = 3, .classes = 5}; }
static const char *const all_names[] = {"linear", "mlp", "cnn", "resnet8", "resnet20", "wrn16-1", "wrn16-2"};
enum { NAMES = sizeof all_names / sizeof *all_names };

static void expect_equal(const float *a, const float *b, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a))
            fail_msg("%s: number %zu is %.9g and %.9g", what, i, a[i], b[i]);
}

static void expect_vector(const Net *n, Tensor t, const double *expected, double tolerance, const char *what)
{
    float *v = fetch(n, t);
    expect_near(v, expected, tensor_count(t), tolerance, what);
    free(v);
}

/* ---- modes ---- */

/* TRAIN moves the running statistics, the other two modes do not; FROZEN computes what TRAIN computes. */
static void modes_and_state(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 2; i < NAMES; i++) {
        ModelSpec s = spec_of(all_names[i]);
        Net n = net_new(d->be, &s, 6, 6, 3);
        size_t count = tensor_count(n.m->state);
        float *before = fetch(&n, n.m->state);
        double frozen = net_loss(&n, MODEL_FROZEN_STATS);
        net_loss(&n, MODEL_EVAL);
        float *after = fetch(&n, n.m->state);
        expect_equal(before, after, count, "state after FROZEN and EVAL");
        double train = net_loss(&n, MODEL_TRAIN);
        float *moved = fetch(&n, n.m->state);
        assert_true(train == frozen);
        for (int v = 0; v < n.m->nstate; v++) /* every layer's */
            assert_memory_not_equal(before + n.m->state_views[v].at, moved + n.m->state_views[v].at, n.m->state_views[v].count * sizeof(float));
        free(before), free(after), free(moved);
        net_free(&n);
    }
    device_close(d);
}

/* In EVAL a picture's logits do not depend on its company, in TRAIN they do; and running statistics that are the batch's own give EVAL the
 * numbers of FROZEN, but for the unbiased variance: of 10 pictures of 2x2 pixels at the smallest, 40/39. */
static void evaluation(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 0; i < NAMES; i++) {
        ModelSpec s = spec_of(all_names[i]);
        bool norm = i >= 2;
        Net all = net_new(d->be, &s, 10, 10, 3), one = net_new(d->be, &s, 10, 10, 3);
        for (int step = 0; step < 60 && norm; step++) /* 0.9^60 = 0.002: the running statistics become the batch's */
            net_loss(&all, MODEL_TRAIN);
        if (norm) {
            float *stats = fetch(&all, all.m->state);
            store(&one, one.m->state, stats);
            free(stats);
        }
        net_take(&one, &all, 3, 1);
        float *frozen_one = NULL, *frozen_all = NULL;
        net_loss(&one, MODEL_FROZEN_STATS), frozen_one = fetch(&one, one.m->logits);
        net_loss(&all, MODEL_FROZEN_STATS), frozen_all = fetch(&all, all.m->logits);
        net_loss(&one, MODEL_EVAL);
        net_loss(&all, MODEL_EVAL);
        double *alone = fetch_double(&one, one.m->logits), *together = fetch_double(&all, all.m->logits);
        float *eval = fetch(&all, all.m->logits);
        expect_near(eval + 3 * 5, alone, 5, 1e-5, "EVAL, alone and in company");
        expect_near(frozen_all, together, 50, norm ? 0.1 : 1e-6, "EVAL by the batch's own statistics");
        double apart = 0;
        for (int k = 0; k < 5; k++)
            apart = fmax(apart, fabs(frozen_one[k] - frozen_all[15 + k]));
        assert_true(norm ? apart > 1e-2 : apart < 1e-5);
        free(frozen_one), free(frozen_all), free(alone), free(together), free(eval);
        net_free(&all), net_free(&one);
    }
    device_close(d);
}

/* A batch of 3 in a model planned for 8 that has just seen 8 is as in one planned for 3. */
static void short_batch(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 0; i < NAMES; i++) {
        ModelSpec s = spec_of(all_names[i]);
        Net large = net_new(d->be, &s, 8, 8, 3), fit = net_new(d->be, &s, 3, 3, 4);
        net_gradient(&large);
        net_take(&fit, &large, 5, 3);
        net_take(&large, &large, 5, 3);
        double a = net_gradient(&large), b = net_gradient(&fit);
        expect_close(a, b, 0, 1e-6, "loss of a short batch");
        double *expected = fetch_double(&fit, fit.m->grads);
        assert_int_equal(large.m->logits.n, 3);
        expect_vector(&large, large.m->grads, expected, 1e-5, "gradient of a short batch");
        free(expected);
        net_free(&large), net_free(&fit);
    }
    device_close(d);
}

/* ---- gradients add; weights per sample ---- */

/* The gradient of the batch with these weights per sample. */
static double *weighted_gradient(Net *n, Device *d, const double *weight)
{
    Tensor t = weight ? put_vector(d, weight, n->N) : NO_TENSOR;
    model_zero_grads(n->m);
    model_forward(n->m, n->x, MODEL_FROZEN_STATS);
    model_loss(n->m, n->totals, n->label, t, true);
    model_backward(n->m);
    drop(d, t);
    return fetch_double(n, n->m->grads);
}

static void gradients_add(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 0; i < NAMES; i++) {
        ModelSpec s = spec_of(all_names[i]);
        Net n = net_new(d->be, &s, 4, 4, 3);
        double *once = weighted_gradient(&n, d, NULL), *twice = sum_of(once, once, tensor_count(n.m->params));
        model_forward(n.m, n.x, MODEL_FROZEN_STATS);
        model_loss(n.m, n.totals, n.label, NO_TENSOR, true);
        model_backward(n.m); /* without zeroing */
        expect_vector(&n, n.m->grads, twice, 1e-6, "two backward passes");
        free(once), free(twice);
        net_free(&n);
    }
    device_close(d);
}

/* The gradient is linear in the weights: g(w) = sum of w_i g(e_i), with weights 0 and below. */
static void sample_weights(void **state)
{
    (void)state;
    static const double weight[4] = {2, 0, -1.5, 0.25};
    Device *d = device_open();
    for (int i = 0; i < NAMES; i++) {
        ModelSpec s = spec_of(all_names[i]);
        Net n = net_new(d->be, &s, 4, 4, 3);
        size_t count = tensor_count(n.m->params);
        double *expected = zeros(count);
        for (int k = 0; k < 4; k++) {
            double unit[4] = {0, 0, 0, 0};
            unit[k] = 1;
            double *g = weighted_gradient(&n, d, unit);
            for (size_t j = 0; j < count; j++)
                expected[j] += weight[k] * g[j];
            free(g);
        }
        double *ours = weighted_gradient(&n, d, weight);
        expect_vector(&n, n.m->grads, expected, 1e-5, "weighted gradient");
        double ones[4] = {1, 1, 1, 1}, *plain = weighted_gradient(&n, d, NULL), *same = weighted_gradient(&n, d, ones);
        assert_memory_equal(plain, same, count * sizeof *plain);
        free(expected), free(ours), free(plain), free(same);
        net_free(&n);
    }
    device_close(d);
}

/* ---- ghost batch norm: pieces of the batch, each by itself ---- */

static void ghost_case(Device *d, const char *name, int N, int ghost)
{
    ModelSpec plain = spec_of(name), split = plain;
    split.ghost = ghost;
    Net n = net_new(d->be, &split, N + 1, N, 3);
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
            stats[i] += moved[i] / groups; /* one update by the groups' average = the average of the groups' updates */
        free(grads), free(moved);
        net_free(&piece);
    }
    expect_close(net_gradient(&n), loss, 0, 1e-5, "loss with ghost batch norm");
    expect_vector(&n, n.m->grads, expected, 2e-5, "gradient with ghost batch norm");
    net_loss(&n, MODEL_TRAIN);
    expect_vector(&n, n.m->state, stats, 1e-5, "running statistics with ghost batch norm");
    free(expected), free(stats);
    net_free(&n);
}

static void ghost_pieces(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 2; i < NAMES; i++) {
        ghost_case(d, all_names[i], 6, 3);
        ghost_case(d, all_names[i], 7, 3); /* 3, 3 and 1 */
        ghost_case(d, all_names[i], 4, 9); /* one group */
    }
    device_close(d);
}

/* ---- hooks ---- */

typedef struct Tally { int calls, groups; const BackendOps *op; double factor; } Tally;

/* What an all-reduce over `factor` ranks with the same batch would do to the sums. */
static void multiply_sums(void *context, Tensor sums, Stream *s)
{
    Tally *t = context;
    size_t count = tensor_count(sums);
    assert_int_equal(sums.dtype, F64);
    assert_int_equal(sums.h, 2);
    t->calls++;
    t->groups = sums.n;
    double *v = alloc(count, sizeof *v);
    t->op->download(s, v, sums);
    for (size_t i = 0; i < count; i++)
        v[i] *= t->factor;
    t->op->upload(s, sums, v);
    t->op->stream_sync(s);
    free(v);
}

/* Three ranks that hold the same batch have the same statistics and gradients as one; the hook comes once per batch norm and pass. */
static void stats_hook(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 0; i < NAMES; i++)
        for (int ghost = 0; ghost < 3; ghost += 2) {
            ModelSpec s = spec_of(all_names[i]);
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
            free(expected);
            net_free(&n);
        }
    device_close(d);
}

typedef struct Slices { Net *n; size_t next; int calls; float *seen; } Slices;

/* Slices go down from the end without gap or overlap; keep the numbers as they are at this moment. */
static void take_slice(void *context, size_t first, int count, Stream *s)
{
    Slices *c = context;
    assert_true(count > 0);
    assert_int_equal(first + count, c->next);
    c->next = first;
    c->calls++;
    c->n->op->download(s, c->seen + first, tensor_slice(c->n->m->grads, first, count));
}

static void grad_hook(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 0; i < NAMES; i++)
        for (int bits = 0; bits < 4; bits++) {
            ModelSpec s = spec_of(all_names[i]);
            s.no_skip = bits & 1, s.no_batchnorm = bits & 2;
            Net n = net_new(d->be, &s, 4, 4, 3);
            size_t count = tensor_count(n.m->params);
            Slices c = {&n, count, 0, alloc(count, sizeof(float))};
            n.m->grad_hook = take_slice, n.m->grad_context = &c;
            net_gradient(&n);
            float *final = fetch(&n, n.m->grads);
            assert_int_equal(c.next, 0);
            assert_true(c.calls > 1 || i == 0); /* more than one, or nothing could overlap */
            expect_equal(c.seen, final, count, "gradient when announced, and at the end");
            free(final), free(c.seen);
            net_free(&n);
        }
    device_close(d);
}

/* ---- the same bits twice ---- */
static void same_bits(void **state)
{
    (void)state;
    Device *d = device_open();
    Backend *single = backend_open(device_name(), 0, 1, 1);
    for (int i = 0; i < NAMES; i++) {
        ModelSpec s = spec_of(all_names[i]);
        Net a = net_new(d->be, &s, 19, 19, 3), b = net_new(d->be, &s, 19, 19, 3), one = net_new(single, &s, 19, 19, 3);
        assert_true(net_gradient(&a) == net_gradient(&b));
        expect_close(net_gradient(&one), net_loss(&a, MODEL_FROZEN_STATS), 0, 1e-6, "loss on one thread");
        float *x = fetch(&a, a.m->grads), *y = fetch(&b, b.m->grads), *z = fetch(&one, one.m->grads);
        expect_equal(x, y, tensor_count(a.m->grads), "gradients of two runs");
        double *expected = fetch_double(&a, a.m->grads);
        double off = expect_near(z, expected, tensor_count(a.m->grads), 1e-5, "gradient on one thread and on two");
        printf("    %s: one thread and two: %s\n", s.name, off > 0 ? "same up to rounding" : "same bits");
        free(x), free(y), free(z), free(expected);
        net_free(&a), net_free(&b), net_free(&one);
    }
    backend_close(single);
    device_close(d);
}

/* ---- learning: a few steps of SGD on one batch halve its loss ---- */
static void learns_case(Device *d, ModelSpec s, double rate, int steps)
{
    Net n = net_new(d->be, &s, 8, 8, 3);
    Sgd *o = sgd_new(n.m, 0.9, 0, false);
    double first = net_gradient(&n), last = first;
    for (int step = 0; step < steps; step++) {
        sgd_step(n.m, o, rate);
        last = net_gradient(&n);
    }
    printf("    %s%s%s: loss %.3f, after %d steps %.3f\n", s.name, s.no_skip ? " no-skip" : "", s.no_batchnorm ? " no-batchnorm" : "", first, steps, last);
    if (!(last < 0.5 * first))
        fail_msg("%s: loss %g, after %d steps %g", s.name, first, steps, last);
    sgd_free(n.m, o);
    net_free(&n);
}

/* The residual nets without batch norm and without skip connections are left out: their signal shrinks from layer to layer, they stay on a plateau
 * and then blow up. (That is why both exist. Their gradients are right: test_model_gradient.c.) */
static void learns(void **state)
{
    (void)state;
    Device *d = device_open();
    for (int i = 0; i < NAMES; i++)
        for (int variant = 0; variant < (i < 2 ? 1 : 3); variant++) {
            ModelSpec s = spec_of(all_names[i]);
            s.no_skip = variant == 1, s.no_batchnorm = variant == 2;
            learns_case(d, s, i < 3 || s.no_batchnorm ? 0.01 : 0.02, 30);
        }
    device_close(d);
}

static const Case cases[] = {
    {"modes_and_state", .run = modes_and_state}, {"evaluation", .run = evaluation}, {"short_batch", .run = short_batch},
    {"gradients_add", .run = gradients_add}, {"sample_weights", .run = sample_weights}, {"ghost_pieces", .run = ghost_pieces},
    {"stats_hook", .run = stats_hook}, {"grad_hook", .run = grad_hook}, {"same_bits", .run = same_bits}, {"learns", .run = learns},
};
int main(int argc, char **argv) { return device_main(argc, argv, cases, sizeof cases / sizeof *cases); }
