/* test_muon.c: groups of parameters, each with its own update: against float64 loops over the same
 * gradients; and what Muon's direction is.
 */
#include "check.h"
#include "eigen.h"
#include "muon.h"
#include "net.h"
#include <math.h>
#include <string.h>

enum { STEPS = 3, ITERATIONS = 3, GROUPS = 4 };
static const Group groups[GROUPS] = {{GROUP_FIXED, 0, 0},
                                     {GROUP_SGD, 0.85, 1e-3},
                                     {GROUP_SGD, 0.5, 0},
                                     {GROUP_MUON, 0.6, 0}};
static const double rates[STEPS][GROUPS] = {{1, 0.5, 0.02, 0.24},
                                            {1, 0.3, 0, 0.2},
                                            {1, 0.1, 0.03, 0.1}};

/* Biases by SGD, a matrix with an odd number by Muon. */
static int group_of(const View *v, int i)
{
    return !v->decay ? 1 + i % 2 : i % 3 == 2 ? 2 : v->dims == 2 ? 3 : i == 0 ? 0 : 3;
}

/* x [m,n] in float64: length 1, then the iterations, always with X X^T. */
static void reference_direction(double *x, int m, int n)
{
    double *s = zeros((size_t)m * m), *f = zeros((size_t)m * m), *y = zeros((size_t)m * n), sum = 0;
    for (int i = 0; i < m * n; i++)
        sum += x[i] * x[i];
    for (int i = 0; i < m * n; i++)
        x[i] /= fmax(sqrt(sum), 1e-7);
    for (int k = 0; k < ITERATIONS; k++) {
        ref_matmul(s, x, x, m, n, m, false, true);
        ref_matmul(f, s, s, m, m, m, false, false);
        for (int i = 0; i < m * m; i++)
            f[i] = 2.0315 * f[i] - 4.7750 * s[i];
        ref_matmul(y, f, x, m, m, n, false, false);
        for (int i = 0; i < m * n; i++)
            x[i] = 3.4445 * x[i] + y[i];
    }
}

static void reference_muon(double *w, double *v, const double *g, const View *view, double mu,
                           double rate)
{
    int n = view->count, rows = view->shape[0];
    double *x = zeros((size_t)n), squares = 0;
    for (int i = 0; i < n; i++) {
        v[i] = mu * v[i] + g[i];
        x[i] = g[i] + mu * v[i];
        squares += w[i] * w[i];
    }
    reference_direction(x, rows, n / rows);
    for (int i = 0; i < n; i++)
        w[i] = w[i] * sqrt(rows / squares) - rate * x[i];
}

/* A network with matrices of equal sizes, wide ones and tall ones (mlp's 5 x 30 and 30 x 7). */
static void update_case(Device *d, const ModelSpec *spec)
{
    Net net = net_new(d->be, spec, 4, 4, 1);
    Model *m = net.m;
    int *of = keep(alloc((size_t)m->nviews, sizeof *of));
    for (int i = 0; i < m->nviews; i++)
        of[i] = group_of(&m->views[i], i);
    Groups *o = groups_new(m, groups, GROUPS, of, ITERATIONS);
    double *w = fetch_double(&net, m->params), *v = zeros((size_t)m->params.n);
    for (int step = 0; step < STEPS; step++) {
        net_draw(&net, (uint32_t)step + 1);
        net_gradient(&net);
        double *g = fetch_double(&net, m->grads);
        groups_step(m, o, rates[step]);
        for (int i = 0; i < m->nviews; i++) {
            const View *view = &m->views[i];
            const Group *group = &groups[of[i]];
            double rate = rates[step][of[i]];
            size_t at = view->at;
            if (group->kind == GROUP_SGD)
                ref_sgd(w + at, v + at, g + at, rate, group->momentum, group->decay, true,
                        (size_t)view->count);
            else if (group->kind == GROUP_MUON)
                reference_muon(w + at, v + at, g + at, view, group->momentum, rate);
        }
        expect_vector(&net, m->params, w, 1e-4, "parameters");
        expect_vector(&net, o->velocity, v, 1e-5, "velocity");
        double *after = fetch_double(&net, m->grads);
        assert_memory_equal(after, g, sizeof *g * (size_t)m->grads.n);
    }
    groups_free(m, o);
}

DEVICE_TEST(updates)
{
    update_case(
        d, &(ModelSpec){.name = "mlp", .h = 3, .w = 3, .c = 1, .classes = 7, .hidden = {5, 30, 5}});
    update_case(d, &(ModelSpec){.name = "airbench-4", .h = 25, .w = 25, .c = 1, .classes = 5});
}

/* The direction's singular values lie around 1 (Jordan: 0.5 to 1.5 and below), whatever the
 * gradient's are; with five iterations between 0.6 and 1.3. */
DEVICE_TEST(singular_values)
{
    Net net = net_new(d->be, &(ModelSpec){.name = "linear", .h = 4, .w = 5, .c = 2, .classes = 8},
                      16, 16, 1);
    Model *m = net.m;
    const int of[] = {0, 1};
    Groups *o = groups_new(m, (Group[]){{GROUP_MUON, 0, 0}, {GROUP_FIXED, 0, 0}}, 2, of, 5);
    net_gradient(&net);
    double *before = fetch_double(&net, m->params), square[8 * 8], value[8], sum = 0;
    groups_step(m, o, (double[]){1, 0});
    double *after = fetch_double(&net, m->params), *x = zeros(8 * 40);
    for (int i = 0; i < 320; i++)
        sum += before[i] * before[i];
    for (int i = 0; i < 320; i++)
        x[i] = before[i] * sqrt(8 / sum) - after[i];
    ref_matmul(square, x, x, 8, 40, 8, false, true);
    eigen_symmetric(value, NULL, square, 8);
    /* The gradients of the classes sum to 0: one direction is missing. */
    assert_true(value[0] < 0.01);
    for (int i = 1; i < 8; i++)
        if (!(value[i] > 0.36 && value[i] < 1.69))
            fail_msg("singular value %g", sqrt(value[i]));
    for (int i = 320; i < m->params.n; i++)
        assert_true(before[i] == after[i]); /* fixed */
    groups_free(m, o);
}
