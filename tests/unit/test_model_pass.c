/* test_model_pass.c: a network at work: its three modes, short batches, weights per sample, the
 * same bits twice, and learning. Gradients: test_model_gradient.c; ghost batch norm and hooks:
 * test_model_hooks.c.
 */
#include "check.h"
#include "net.h"
#include <math.h>
#include <string.h>

/* ---- modes ---- */

/* TRAIN moves the running statistics, the other two modes do not; FROZEN computes what TRAIN
 * computes. */
DEVICE_TEST(modes_and_state)
{
    for (int i = NORMS; i < NORMS_END; i++) {
        ModelSpec s = small_spec(model_kinds[i]);
        Net n = net_new(d->be, &s, 6, 6, 3);
        size_t count = tensor_count(n.m->state);
        float *before = fetch(&n, n.m->state);
        double frozen = net_loss(&n, MODEL_FROZEN_STATS);
        net_loss(&n, MODEL_EVAL);
        float *after = fetch(&n, n.m->state);
        expect_bits(before, after, count, "state after FROZEN and EVAL");
        double train = net_loss(&n, MODEL_TRAIN);
        float *moved = fetch(&n, n.m->state);
        assert_true(train == frozen);
        for (int v = 0; v < n.m->nstate; v++) /* every layer's */
            assert_memory_not_equal(before + n.m->state_views[v].at, moved + n.m->state_views[v].at,
                                    n.m->state_views[v].count * sizeof(float));
    }
}

/* In EVAL an image's logits do not depend on the rest of the batch, in TRAIN they do; and running
 * statistics that are the batch's own give EVAL the results of FROZEN, but for the unbiased
 * variance: of 10 images of 2x2 pixels at the smallest, 40/39. */
DEVICE_TEST(evaluation)
{
    for (int i = 0; i < KINDS; i++) {
        ModelSpec s = small_spec(model_kinds[i]);
        bool norm = i >= NORMS && i < NORMS_END;
        Net all = net_new(d->be, &s, 10, 10, 3), one = net_new(d->be, &s, 10, 10, 3);
        /* 0.9^40 = 0.015: the running statistics become the batch's */
        for (int step = 0; step < 40 && norm; step++)
            net_loss(&all, MODEL_TRAIN);
        if (norm) {
            float *stats = fetch(&all, all.m->state);
            store(&one, one.m->state, stats);
        }
        int K = 5 * model_positions(all.m); /* an image's logits */
        net_take(&one, &all, 3, 1);
        float *frozen_one = NULL, *frozen_all = NULL;
        net_loss(&one, MODEL_FROZEN_STATS), frozen_one = fetch(&one, one.m->logits);
        net_loss(&all, MODEL_FROZEN_STATS), frozen_all = fetch(&all, all.m->logits);
        net_loss(&one, MODEL_EVAL);
        net_loss(&all, MODEL_EVAL);
        double *alone = fetch_double(&one, one.m->logits),
               *together = fetch_double(&all, all.m->logits);
        float *eval = fetch(&all, all.m->logits);
        expect_near(eval + 3 * K, alone, K, 1e-5, "EVAL, alone and in company");
        expect_near(frozen_all, together, 10 * K, norm ? 0.2 : 1e-6,
                    "EVAL by the batch's own statistics");
        double apart = 0;
        for (int k = 0; k < K; k++)
            apart = fmax(apart, fabs(frozen_one[k] - frozen_all[3 * K + k]));
        assert_true(norm ? apart > 1e-2 : apart < 1e-5);
    }
}

/* A batch of 3 in a model planned for 8 that has just seen 8 is as in one planned for 3. */
DEVICE_TEST(short_batch)
{
    for (int i = 0; i < KINDS; i++) {
        ModelSpec s = small_spec(model_kinds[i]);
        Net large = net_new(d->be, &s, 8, 8, 3), fit = net_new(d->be, &s, 3, 3, 4);
        net_gradient(&large);
        net_take(&fit, &large, 5, 3);
        net_take(&large, &large, 5, 3);
        double a = net_gradient(&large), b = net_gradient(&fit);
        expect_close(a, b, 0, 1e-6, "loss of a short batch");
        double *expected = fetch_double(&fit, fit.m->grads);
        assert_int_equal(large.m->logits.n, 3);
        expect_vector(&large, large.m->grads, expected, 1e-5, "gradient of a short batch");
    }
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
    return fetch_double(n, n->m->grads);
}

DEVICE_TEST(gradients_add)
{
    for (int i = 0; i < KINDS; i++) {
        ModelSpec s = small_spec(model_kinds[i]);
        Net n = net_new(d->be, &s, 4, 4, 3);
        double *once = weighted_gradient(&n, d, NULL),
               *twice = sum_of(once, once, tensor_count(n.m->params));
        model_forward(n.m, n.x, MODEL_FROZEN_STATS);
        model_loss(n.m, n.totals, n.label, NO_TENSOR, true);
        model_backward(n.m); /* without zeroing */
        expect_vector(&n, n.m->grads, twice, 1e-6, "two backward passes");
    }
}

/* The gradient is linear in the weights: g(w) = sum of w_i g(e_i), with weights 0 and below. */
DEVICE_TEST(sample_weights)
{
    static const double weight[4] = {2, 0, -1.5, 0.25};
    for (int i = 0; i < KINDS; i++) {
        ModelSpec s = small_spec(model_kinds[i]);
        Net n = net_new(d->be, &s, 4, 4, 3);
        size_t count = tensor_count(n.m->params);
        double *expected = zeros(count);
        for (int k = 0; k < 4; k++) {
            double unit[4] = {0, 0, 0, 0};
            unit[k] = 1;
            double *g = weighted_gradient(&n, d, unit);
            for (size_t j = 0; j < count; j++)
                expected[j] += weight[k] * g[j];
        }
        weighted_gradient(&n, d, weight);
        expect_vector(&n, n.m->grads, expected, 1e-5, "weighted gradient");
        double ones[4] = {1, 1, 1, 1}, *plain = weighted_gradient(&n, d, NULL),
               *same = weighted_gradient(&n, d, ones);
        assert_memory_equal(plain, same, count * sizeof *plain);
    }
}

/* ---- the same bits twice ---- */
/* Two runs have the same bits; one thread and two agree up to rounding. Returns how far they are
 * apart. */
static double same_batch(Device *d, Backend *single, const ModelSpec *s, uint32_t seed)
{
    Net a = net_new(d->be, s, 19, 19, seed), b = net_new(d->be, s, 19, 19, seed),
        one = net_new(single, s, 19, 19, seed);
    assert_true(net_gradient(&a) == net_gradient(&b));
    expect_close(net_gradient(&one), net_loss(&a, MODEL_FROZEN_STATS), 0, 1e-6,
                 "loss on one thread");
    float *x = fetch(&a, a.m->grads), *y = fetch(&b, b.m->grads);
    expect_bits(x, y, tensor_count(a.m->grads), "gradients of two runs");
    double *expected = fetch_double(&a, a.m->grads);
    double apart = net_apart(&one, one.m->grads, expected);
    return apart;
}

DEVICE_TEST(same_bits)
{
    Backend *single = device_backend(0, 1, 1);
    for (int i = 0; i < KINDS; i++) {
        ModelSpec s = small_spec(model_kinds[i]);
        int near = 0;
        double apart[NET_BATCHES];
        for (int k = 0; k < NET_BATCHES; k++)
            near += (apart[k] = same_batch(d, single, &s, 3 + (uint32_t)k)) <= 1e-5;
        printf("    %s: one thread and two: %.2g, %.2g, %.2g apart\n", s.name, apart[0], apart[1],
               apart[2]);
        assert_true(near >= NET_AGREE);
    }
}

/* ---- learning: a few steps of SGD on one batch halve its loss ---- */
static void learns_case(Device *d, ModelSpec s, double rate, int steps)
{
    Net n = net_new(d->be, &s, 8, 8, 3);
    Sgd *o = net_sgd(&n, 0.9, 0, false);
    double first = net_gradient(&n), last = first;
    for (int step = 0; step < steps; step++) {
        sgd_step(n.m, o, rate);
        last = net_gradient(&n);
    }
    printf("    %s%s%s: loss %.3f, after %d steps %.3f\n", s.name, s.no_skip ? " no-skip" : "",
           s.no_batchnorm ? " no-batchnorm" : "", first, steps, last);
    if (!(last < 0.5 * first))
        fail_msg("%s: loss %g, after %d steps %g", s.name, first, steps, last);
}

/* The residual nets without batch norm and without skip connections are left out: their signal
 * shrinks from layer to layer, they stay on a plateau and then blow up. (That is why both exist.
 * Their gradients are right: test_model_gradient.c.) */
DEVICE_TEST(learns)
{
    for (int i = 0; i < KINDS; i++)
        for (int variant = 0; variant < (i == 3 ? 3 : i == 2 ? 2 : 1); variant++) {
            ModelSpec s = small_spec(model_kinds[i]);
            s.no_batchnorm = variant == 1, s.no_skip = variant == 2;
            if (i == NORMS_END)
                learns_case(d, s, 0.01, 400); /* at 0.1 it leaps: rounding decides where to */
            else
                learns_case(d, s, i < 3 || s.no_batchnorm ? 0.01 : 0.02, s.no_batchnorm ? 30 : 20);
        }
}

/* Held to its signs a network without biases is linear in its input: f(-x) = -f(x). Let go, it is
 * what it was. */
DEVICE_TEST(held_relu)
{
    static const ModelSpec specs[] = {
        {.name = "mlp", .h = 4, .w = 4, .c = 2, .classes = 3, .hidden = {9, 8}},
        {.name = "resnet8", .h = 9, .w = 8, .c = 3, .classes = 3, .no_batchnorm = true},
        {.name = "resnet8", .h = 9, .w = 8, .c = 3, .classes = 3}};
    for (int i = 0; i < 3; i++) {
        Net n = net_new(d->be, &specs[i], 6, 5, 3);
        for (int v = 0; v < n.m->nviews; v++)
            if (strstr(n.m->views[v].name, "fc") && strstr(n.m->views[v].name, "bias"))
                n.op->zero(n.m->s, model_view(n.m->params, &n.m->views[v]));
        net_gradient(&n);
        float *logits = fetch(&n, n.m->logits), *grads = fetch(&n, n.m->grads);
        model_hold_relu(n.m, true);
        net_gradient(&n);
        float *same = fetch(&n, n.m->logits), *same_grads = fetch(&n, n.m->grads);
        expect_bits(same, logits, tensor_count(n.m->logits), "held, where it was held");
        expect_bits(same_grads, grads, tensor_count(n.m->grads), "its gradient");
        Tensor x = n.x;
        n.x = blank(d, F32, x.n, x.h, x.w, x.c, x.halo);
        n.op->axpy(n.m->s, n.x, -1, x);
        net_loss(&n, MODEL_FROZEN_STATS);
        float *mirrored = fetch(&n, n.m->logits);
        for (size_t j = 0; j < tensor_count(n.m->logits); j++)
            expect_close(mirrored[j], -logits[j], 1e-4, 1e-4, "held, of the image's negative");
        n.x = x;
        model_hold_relu(n.m, false);
        net_gradient(&n);
        float *again = fetch(&n, n.m->logits);
        expect_bits(again, logits, tensor_count(n.m->logits), "let go");
    }
}
