/* evidence_rules.c: optimisers, as far as they are not linear in the gradient: each forms its
 * direction of descent from the ranks' mean gradients by a recursion of its own. */
#include "check.h"
#include "inspection.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const Rule rules[RULES] = {
    {.name = "SGD's"},
    {"Adam's", RULE_ADAPTIVE, .mean = 0.9,
     .square = 0.999}, /* arXiv 1412.6980; of its kind NAdam, RMSProp, LAMB */
    {"Adam's", RULE_ADAPTIVE, .mean = 0.9, .square = 0.99},
    {"Adam's", RULE_ADAPTIVE, .mean = 0.9, .square = 0.98},
    {"Adam's", RULE_ADAPTIVE, .mean = 0.9, .square = 0.95},
    {"Adam's", RULE_ADAPTIVE, .mean = 0.95, .square = 0.999},
    {"Adam's", RULE_ADAPTIVE, .mean = 0.8, .square = 0.999},
    {"RMSProp's", RULE_ADAPTIVE, .mean = 0, .square = 0.9},
    {"Adagrad's", RULE_ADAPTIVE, .mean = 0, .square = 1},
    {"Lion's", RULE_SIGN, .mean = 0.9, .square = 0.99}, /* arXiv 2302.06675 */
    {"Lion's", RULE_SIGN, .mean = 0.95, .square = 0.98},
    {"Lion's", RULE_SIGN, .mean = 0.9, .square = 0.99, .clip = 1},
    {"Adam's", RULE_ADAPTIVE, .mean = 0.9, .square = 0.999, .clip = 1},
    {"Signum's", RULE_SIGN, .mean = 0.9, .square = 0.9}, /* arXiv 1802.04434 */
    {"the signs'", .kind = RULE_VOTE},
    {"Muon's", RULE_MATRIX, .mean = 0.95, .steps = 5}, /* kellerjordan.github.io/posts/muon */
    {"Muon's", RULE_MATRIX, .mean = 0.9, .steps = 5},
    {"Muon's", RULE_MATRIX, .mean = 0.6, .steps = 3},
};

/* How much of beta m + fresh g, a running mean, is the new gradient's, by their lengths. */
static double own_part(double beta, const float *m, double fresh, const float *g, int n)
{
    double own = fresh * cblas_snrm2(n, g, 1), before = beta * cblas_snrm2(n, m, 1);
    return own > 0 ? own / (own + before) : 0;
}

/* m becomes beta m + fresh g. */
static void follow(float *m, double beta, double fresh, const float *g, int n)
{
    cblas_sscal(n, (float)beta, m, 1);
    cblas_saxpy(n, (float)fresh, g, 1, m, 1);
}

static void adapt(const Rule *r, float *mean, float *square, const float *g, int n, int step,
                  double *columns)
{
    bool sums = r->square == 1; /* Adagrad's */
    double fresh = sums ? 1 : 1 - r->square, whole = sums ? 1 : 1 / (1 - pow(r->square, step));
    follow(mean, r->mean, 1 - r->mean, g, n);
    cblas_sscal(n, (float)r->square, square, 1);
    for (int i = 0; i < n; i++) {
        square[i] += (float)(fresh * g[i] * g[i]);
        columns[n + i] = 1 / (sqrt(whole * square[i]) + 1e-8);
    }
    for (int i = 0; i < n; i++) {
        columns[i] = mean[i] * columns[n + i];
        columns[n + i] *= g[i];
    }
}

static void take_signs(const Rule *r, float *mean, const float *g, int n, double *columns)
{
    for (int i = 0; i < n; i++) {
        double v = r->mean * mean[i] + (1 - r->mean) * g[i];
        columns[i] = (v > 0) - (v < 0);
    }
    follow(mean, r->square, 1 - r->square, g, n);
}

/* The singular values of x [rows,columns] towards 1, by Newton and Schulz's iteration. */
static void orthogonalise(double *x, int rows, int columns, int steps)
{
    bool tall = rows > columns;
    int side = tall ? columns : rows, n = rows * columns;
    double *s = alloc((size_t)side * side, sizeof *s), *p = alloc((size_t)side * side, sizeof *p);
    double *y = alloc((size_t)n, sizeof *y), size = cblas_dnrm2(n, x, 1);
    cblas_dscal(n, 1 / fmax(size, 1e-30), x, 1);
    for (int k = 0; k < steps; k++) {
        cblas_dgemm(CblasRowMajor, tall ? CblasTrans : CblasNoTrans,
                    tall ? CblasNoTrans : CblasTrans, side, side, tall ? rows : columns, 1, x,
                    columns, x, columns, 0, s, side);
        memcpy(p, s, (size_t)side * side * sizeof *p);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, side, side, side, 2.0315, s, side, s,
                    side, -4.7750, p, side);
        memcpy(y, x, (size_t)n * sizeof *y);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, side, 1, tall ? y : p,
                    side, tall ? p : y, columns, 3.4445, x, columns);
    }
    free(s), free(p), free(y);
}

static void form_matrix(const Rule *r, const View *v, float *mean, const float *g, double *columns)
{
    int n = v->count, rows = v->shape[0];
    follow(mean, r->mean, 1, g, n);
    for (int k = 0; k < 2; k++) { /* Nesterov's, and not */
        double *x = columns + (size_t)k * n;
        for (int i = 0; i < n; i++)
            x[i] = k ? mean[i] : g[i] + r->mean * mean[i];
        orthogonalise(x, rows, n / rows, r->steps);
    }
}

bool rule_applies(const Rule *r, const View *v) { return r->kind != RULE_MATRIX || v->dims > 1; }

int rule_advance(const Rule *r, const View *v, float *mean, float *square, const float *g, int step,
                 double *columns, double *own)
{
    int n = v->count;
    *own = own_part(r->mean, mean, r->kind == RULE_MATRIX ? 1 : 1 - r->mean, g, n);
    switch (r->kind) {
    case RULE_ADAPTIVE: adapt(r, mean, square, g, n, step, columns); return 2;
    case RULE_SIGN: take_signs(r, mean, g, n, columns); return 1;
    case RULE_MATRIX: form_matrix(r, v, mean, g, columns); return 2;
    default: return 0;
    }
}
