/* hessian.c: see hessian.h. Lanczos and its error bounds: Golub & Van Loan, "Matrix Computations",
 * chapter 10. */
#include "hessian.h"
#include "check.h"
#include "eigen.h"
#include "memory.h"
#include "rng.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- H v ---- */

typedef struct Operator {
    Model *m;
    const HessianData *data;
    int D;
    float *w, *moved;      /* [D] the weights, and the weights moved by ±h v */
    Tensor here, sides[2]; /* [D] the weights, w - h v and w + h v on the device */
    Tensor sum, totals;
    double h;
} Operator;

char *hessian_refused(const Model *m)
{
    if (m->be->precision != PRECISION_FP32)
        return format_new("Hessian of %s: differences of gradients need --precision=fp32",
                          m->spec.name);
    for (int i = 0; i < m->nlayers; i++)
        if (m->layers[i].kind == LAYER_MAXPOOL)
            return format_new("Hessian of %s: near these weights its max pooling picks other "
                              "elements, and the gradient jumps; use a network without it, such "
                              "as mlp or resnet8",
                              m->spec.name);
    return NULL;
}

static Operator operator_new(Model *m, const HessianData *d)
{
    ASSERT(d->subset->count >= 1 && d->mode != MODEL_TRAIN);
    REQUIRE(d->mode != MODEL_EVAL || !m->state.buf,
            "Hessian of %s with running statistics: batch norm then keeps nothing for the backward "
            "pass; use batch statistics",
            m->spec.name);
    char *refused = hessian_refused(m);
    REQUIRE(!refused, "%s", refused);
    int D = m->params.n;
    Operator o = {.m = m, .data = d, .D = D};
    o.w = alloc(D, sizeof(float));
    o.moved = alloc(D, sizeof(float));
    o.here = tensor_new(m->be, F32, D, 1, 1, 1, 0);
    o.sides[0] = tensor_new(m->be, F32, D, 1, 1, 1, 0);
    o.sides[1] = tensor_new(m->be, F32, D, 1, 1, 1, 0);
    o.sum = tensor_new(m->be, F32, D, 1, 1, 1, 0);
    o.totals = tensor_new(m->be, F64, 2, 1, 1, 1, 0);
    m->be->op->download(m->s, o.w, m->params);
    m->be->op->copy(m->s, o.here, m->params);
    double length = cblas_dsdot(D, o.w, 1, o.w, 1);
    o.h = length > 0 ? 2e-4 * sqrt(length) : 2e-4;
    return o;
}

static void operator_free(Operator *o)
{
    o->m->be->op->copy(o->m->s, o->m->params, o->here);
    o->m->be->op->stream_sync(o->m->s);
    tensor_free(o->m->be, o->here);
    tensor_free(o->m->be, o->sides[0]);
    tensor_free(o->m->be, o->sides[1]);
    tensor_free(o->m->be, o->sum);
    tensor_free(o->m->be, o->totals);
    free(o->w);
    free(o->moved);
}

/* m->grads = g(w + h v) - g(w - h v) of this batch's mean loss, with the ReLUs' signs at w. */
static void difference(Operator *o, const Batch *b)
{
    Model *m = o->m;
    const BackendOps *op = m->be->op;
    op->copy(m->s, m->params, o->here);
    model_forward(m, b->x, MODEL_FROZEN_STATS);
    model_hold_relu(m, true);
    model_zero_grads(m);
    for (int side = 0; side < 2; side++) {
        op->copy(m->s, m->params, o->sides[side]);
        op->scale(m->s, m->grads, -1); /* subtracts the first side; grads start at 0 */
        model_forward(m, b->x, MODEL_FROZEN_STATS);
        model_loss(m, o->totals, b->label, NO_TENSOR, true);
        model_backward(m);
    }
    model_hold_relu(m, false);
}

/* out = H v of the mean loss over all images, |v| = 1. Ranks take whole batches in turn, so the
 * batches do not depend on the number of ranks. */
static void apply(Operator *o, double *out, const double *v)
{
    Model *m = o->m;
    Comm *c = o->data->comm;
    const EvalSet *subset = o->data->subset;
    const BackendOps *op = m->be->op;
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < o->D; i++)
            o->moved[i] = (float)(o->w[i] + (side ? o->h : -o->h) * v[i]);
        op->upload(m->s, o->sides[side], o->moved);
    }
    op->zero(m->s, o->sum);
    for (int i = c ? c->rank : 0; i < subset->batches; i += c ? c->size : 1) {
        difference(o, &subset->batch[i]);
        op->axpy(m->s, o->sum, (float)subset->batch[i].n / subset->count, m->grads);
    }
    if (c)
        comm_all_reduce(c, o->sum, COMM_SUM, m->s);
    op->download(m->s, o->moved, o->sum);
    for (int i = 0; i < o->D; i++) {
        out[i] = o->moved[i] / (2 * o->h);
        REQUIRE(isfinite(out[i]),
                "Hessian of %s: a gradient near these weights is not finite: did the training "
                "diverge?",
                m->spec.name);
    }
}

void hessian_product(Model *m, const HessianData *data, double *out, const double *v)
{
    Operator o = operator_new(m, data);
    double length = cblas_dnrm2(o.D, v, 1), *unit = alloc(o.D, sizeof *unit);
    ASSERT(length > 0);
    for (int i = 0; i < o.D; i++)
        unit[i] = v[i] / length;
    apply(&o, out, unit);
    cblas_dscal(o.D, length, out, 1);
    free(unit);
    operator_free(&o);
}

/* ---- Lanczos ---- */

typedef struct Lanczos {
    int D, most, steps;
    double **v;           /* [most] orthonormal vectors [D]; NULL: not computed yet */
    double *alpha;        /* [most] the tridiagonal matrix: its diagonal, */
    double *beta;         /* [most] and below: beta[j] belongs to rows j and j + 1 */
    double *top, *bottom; /* [most] the tridiagonal matrix's eigenvectors */
    double noise;
} Lanczos;

static Lanczos lanczos_new(int D, int most, uint64_t seed)
{
    Lanczos l = {.D = D, .most = most < D ? most : D};
    char *what = format_new("Lanczos vectors for %d steps over %d parameters", l.most, D);
    memory_require((double)l.most * D * sizeof(double), what, "fewer steps, or a smaller network");
    free(what);
    l.v = alloc(l.most, sizeof *l.v);
    l.alpha = alloc(l.most, sizeof(double));
    l.beta = alloc(l.most, sizeof(double));
    l.top = alloc(l.most, sizeof(double));
    l.bottom = alloc(l.most, sizeof(double));
    l.v[0] = alloc(D, sizeof(double));
    Rng r = rng_at(seed, RNG_DIRECTION, 0x48, 0); /* 0x48: a stream no other direction uses */
    for (int i = 0; i < D; i++)
        l.v[0][i] = rng_normal(&r);
    cblas_dscal(D, 1 / cblas_dnrm2(D, l.v[0], 1), l.v[0], 1);
    return l;
}

static void lanczos_free(Lanczos *l)
{
    for (int j = 0; j < l->most; j++)
        free(l->v[j]);
    free(l->v);
    free(l->alpha);
    free(l->beta);
    free(l->top);
    free(l->bottom);
}

/* Subtract from r [D] = H v_j its components along the vectors so far; twice, to remove what
 * rounding left. */
static void orthogonalise(Lanczos *l, double *r, int j)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i <= j; i++) {
            double along = cblas_ddot(l->D, l->v[i], 1, r, 1);
            cblas_daxpy(l->D, -along, l->v[i], 1, r, 1);
            if (pass == 0 && i == j)
                l->alpha[j] = along;
            else if (pass == 0 && i < j - 1)
                l->noise = fmax(l->noise, fabs(along));
        }
}

/* One more product; false: the vectors so far span an invariant subspace of H (or all of R^D). */
static bool lanczos_step(Lanczos *l, Operator *o)
{
    int j = l->steps++;
    double *r = alloc(l->D, sizeof *r);
    apply(o, r, l->v[j]);
    double size = cblas_dnrm2(l->D, r, 1);
    orthogonalise(l, r, j);
    l->beta[j] = cblas_dnrm2(l->D, r, 1);
    bool more = l->beta[j] > 1e-10 * size && l->steps < l->D;
    if (!more)
        l->beta[j] = 0;
    if (!more || l->steps == l->most) {
        free(r);
        return more;
    }
    cblas_dscal(l->D, 1 / l->beta[j], r, 1);
    l->v[j + 1] = r;
    return more;
}

/* The extreme eigenvalues of the tridiagonal matrix [steps,steps]. */
static void find_edges(Lanczos *l, HessianEdges *e, double tolerance)
{
    int n = l->steps;
    double *t = alloc((size_t)n * n, sizeof *t), *values = alloc(n, sizeof *values),
           *y = alloc((size_t)n * n, sizeof *y);
    for (int i = 0; i < n; i++) {
        t[i * n + i] = l->alpha[i];
        if (i)
            t[i * n + i - 1] = l->beta[i - 1];
    }
    eigen_symmetric(values, y, t, n);
    memcpy(l->bottom, y, n * sizeof *y);
    memcpy(l->top, y + (size_t)(n - 1) * n, n * sizeof *y);
    e->bottom = values[0];
    e->top = values[n - 1];
    e->bottom_error = l->beta[n - 1] * fabs(l->bottom[n - 1]);
    e->top_error = l->beta[n - 1] * fabs(l->top[n - 1]);
    e->steps = n;
    e->noise = l->noise;
    e->converged = fmax(e->top_error, e->bottom_error) <=
                   tolerance * fmax(fabs(e->top), fabs(e->bottom));
    free(t);
    free(values);
    free(y);
}

/* The vector [D] with coordinates y along the Lanczos vectors. */
static float *vector_new(const Lanczos *l, const double *y)
{
    double *sum = alloc(l->D, sizeof *sum);
    float *vector = alloc(l->D, sizeof *vector);
    for (int j = 0; j < l->steps; j++)
        cblas_daxpy(l->D, y[j], l->v[j], 1, sum, 1);
    for (int i = 0; i < l->D; i++)
        vector[i] = (float)sum[i];
    free(sum);
    return vector;
}

static bool all_agree(Comm *c, bool yes)
{
    double no = !yes;
    if (c)
        comm_all_reduce_host(c, &no, 1, COMM_MAX);
    return no == 0;
}

HessianEdges hessian_edges(Model *m, const HessianData *data, int most_steps, double tolerance,
                           uint64_t seed,
                           bool (*goes_on)(void *context, const HessianEdges *so_far),
                           void *context)
{
    ASSERT(most_steps >= 1);
    HessianEdges e = {.top_error = INFINITY, .bottom_error = INFINITY};
    Operator o = operator_new(m, data);
    Lanczos l = lanczos_new(o.D, most_steps, seed);
    for (bool more = true; more;) {
        more = lanczos_step(&l, &o);
        find_edges(&l, &e, tolerance);
        bool wanted = l.steps < l.most && !e.converged && (!goes_on || goes_on(context, &e));
        more = all_agree(data->comm, more && wanted);
    }
    e.top_vector = vector_new(&l, l.top);
    e.bottom_vector = vector_new(&l, l.bottom);
    lanczos_free(&l);
    operator_free(&o);
    return e;
}

void hessian_edges_free(HessianEdges *e)
{
    free(e->top_vector);
    free(e->bottom_vector);
}
