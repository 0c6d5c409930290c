/* pca.c: see pca.h. With the centred snapshots as the rows of X [n,D], X Xᵀ = U diag(λ) Uᵀ has the
 * covariance's eigenvalues, and direction c is Xᵀ u_c / sqrt(λ_c). X is never stored: it is
 * computed in slices of D.
 */
#include "pca.h"
#include "check.h"
#include "eigen.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>

enum { SLICE = 4096 }; /* elements of each snapshot at a time */

/* x [n,count] = elements [from, from + count) of the snapshots, minus their mean. */
static void centred_slice(double *x, const float *const *snapshots, int n, size_t from, int count)
{
    for (int j = 0; j < count; j++) {
        double mean = 0;
        for (int i = 0; i < n; i++)
            mean += snapshots[i][from + j];
        mean /= n;
        for (int i = 0; i < n; i++)
            x[(size_t)i * count + j] = snapshots[i][from + j] - mean;
    }
}

static int slice_at(size_t from, size_t D) { return (int)(D - from < SLICE ? D - from : SLICE); }

/* Inner products [n,n] of the centred snapshots, lower triangle. */
static double *gram_new(const float *const *snapshots, int n, size_t D)
{
    double *gram = alloc((size_t)n * n, sizeof *gram), *x = alloc((size_t)n * SLICE, sizeof *x);
    for (size_t from = 0; from < D; from += SLICE) {
        int count = slice_at(from, D);
        centred_slice(x, snapshots, n, from, count);
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, count, 1, x, count, 1, gram, n);
    }
    free(x);
    return gram;
}

/* directions [k,D] = weights [k,n] times the centred snapshots. */
static void combine(float *directions, const double *weights, int k, const float *const *snapshots,
                    int n, size_t D)
{
    double *x = alloc((size_t)n * SLICE, sizeof *x), *y = alloc((size_t)k * SLICE, sizeof *y);
    for (size_t from = 0; from < D; from += SLICE) {
        int count = slice_at(from, D);
        centred_slice(x, snapshots, n, from, count);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, k, count, n, 1, weights, n, x, count,
                    0, y, count);
        for (int c = 0; c < k; c++)
            for (int j = 0; j < count; j++)
                directions[c * D + from + j] = (float)y[(size_t)c * count + j];
    }
    free(x);
    free(y);
}

/* The snapshots' coordinates along direction c, relative to the last one's. Returns the sign
 * chosen. */
static double project(Pca *p, int c, const double *u, double length)
{
    int farthest = 0;
    for (int i = 0; i < p->n; i++) {
        p->coordinates[i * p->k + c] = length * (u[i] - u[p->n - 1]);
        if (fabs(p->coordinates[i * p->k + c]) > fabs(p->coordinates[farthest * p->k + c]))
            farthest = i;
    }
    double sign = p->coordinates[farthest * p->k + c] < 0 ? -1 : 1;
    for (int i = 0; i < p->n; i++)
        p->coordinates[i * p->k + c] *= sign;
    return sign;
}

/* The part of each snapshot's distance from the last that lies along the other eigenvectors. */
static void measure_off(Pca *p, const double *lambda, const double *u)
{
    for (int i = 0; i < p->n; i++) {
        double rest = 0;
        for (int e = 0; e < p->n - p->k; e++)
            rest += fmax(lambda[e], 0) * pow(u[e * p->n + i] - u[e * p->n + p->n - 1], 2);
        p->off[i] = sqrt(rest);
    }
}

/* The number of eigenvalues above rounding error, at most `most`. */
static int count_found(const double *lambda, int n, int most)
{
    int k = 0;
    while (k < most && k < n - 1 && lambda[n - 1 - k] > 1e-12 * lambda[n - 1])
        k++;
    return k;
}

Pca *pca_new(const float *const *snapshots, int n, size_t D, int most)
{
    ASSERT(n >= 2 && D >= 1 && most >= 1);
    double *gram = gram_new(snapshots, n, D), trace = 0;
    for (int i = 0; i < n; i++)
        trace += gram[i * n + i];
    REQUIRE(isfinite(trace),
            "principal directions: a weight of a snapshot is not finite: did the run diverge?");
    REQUIRE(trace > 0, "principal directions: all %d snapshots are equal: there is no direction",
            n);
    double *lambda = alloc(n, sizeof *lambda), *u = alloc((size_t)n * n, sizeof *u);
    eigen_symmetric(lambda, u, gram, n);
    Pca *p = alloc(1, sizeof *p);
    *p = (Pca){.n = n, .k = count_found(lambda, n, most), .dimension = D};
    p->directions = alloc(p->k * D, sizeof *p->directions);
    p->explained = alloc(p->k, sizeof *p->explained);
    p->coordinates = alloc((size_t)n * p->k, sizeof *p->coordinates);
    p->off = alloc(n, sizeof *p->off);
    double *weights = alloc((size_t)p->k * n, sizeof *weights);
    for (int c = 0; c < p->k; c++) {
        int e = n - 1 - c; /* ascending: the largest is the last */
        double length = sqrt(lambda[e]), sign = project(p, c, u + e * n, length);
        p->explained[c] = lambda[e] / trace;
        for (int i = 0; i < n; i++)
            weights[c * n + i] = sign * u[e * n + i] / length;
    }
    combine(p->directions, weights, p->k, snapshots, n, D);
    measure_off(p, lambda, u);
    free(weights);
    free(lambda);
    free(u);
    free(gram);
    return p;
}

void pca_free(Pca *p)
{
    if (!p)
        return;
    free(p->directions);
    free(p->explained);
    free(p->coordinates);
    free(p->off);
    free(p);
}
